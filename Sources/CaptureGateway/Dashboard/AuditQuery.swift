import CaptureOperations
import CaptureStore

/// What the audit's page is asked for: what was done, and who did it.
struct AuditQuery: Sendable, Equatable {
    /// What was done.
    enum Wanted: Sendable, Equatable {
        /// What people did; what programs note of their own work is left out.
        case deeds
        case everything
        /// One kind of thing, or one action.
        case action(String)
    }

    /// The names of its fields.
    static let (whatField, whoField) = ("what", "who")
    /// How many characters of a name can be asked for.
    static let whoScalarsMax = 128
    /// The word for ``Wanted/everything`` in the query.
    static let everythingWord = "all"
    /// All that the audit has.
    static let everything = AuditQuery(what: .everything)

    /// What was done.
    var what = Wanted.deeds
    /// A part of the name of who did it; empty for anybody's.
    var who = ""

    /// The kinds of things in the order of their actions, each with its actions.
    static let kinds: [(name: String, actions: [AuditAction])] = {
        var kinds: [(name: String, actions: [AuditAction])] = []
        for action in AuditAction.allCases {
            let kind = String(action.kind)
            if let index = kinds.firstIndex(where: { $0.name == kind }) {
                kinds[index].actions.append(action)
            } else {
                kinds.append((kind, [action]))
            }
        }
        return kinds
    }()

    /// Asks for what people did, or for something else that was done, by anybody.
    init(what: Wanted = .deeds) { self.what = what }

    /// Reads a page's query; a value that means nothing is named.
    init(_ fields: FormFields) throws(APIError) {
        if let word = fields[Self.whatField] {
            let isAction = Self.kinds.contains { $0.name == word || $0.actions.contains { $0.rawValue == word } }
            guard isAction || word == Self.everythingWord else {
                throw .invalid(Self.whatField, "must be all, a kind of thing, as in device, or an action of the audit")
            }
            what = isAction ? .action(word) : .everything
        }
        // Blanks alone, which a name that was taken out of the field leaves, ask for nobody.
        if let text = fields[Self.whoField], !text.allSatisfy(\.isWhitespace) {
            guard let visible = OperatorWords.visible(text, scalarsMax: Self.whoScalarsMax) else {
                throw .invalid(
                    Self.whoField, "must be a part of a name, of \(Self.whoScalarsMax) characters at the most")
            }
            who = visible
        }
    }

    /// What was done as the page's form says it; empty for what people did.
    var word: String {
        switch what {
        case .deeds: ""
        case .everything: Self.everythingWord
        case .action(let word): word
        }
    }

    /// The fields of the query, without its place.
    var fields: [(name: String, value: String)] {
        [(name: Self.whatField, value: word), (name: Self.whoField, value: who)].filter { !$0.value.isEmpty }
    }

    /// The address of its first page.
    var address: String { Pager.address(Page.audit.address, fields) }

    /// The entries that are meant.
    var filter: AuditFilter {
        var filter = what == .deeds ? AuditFilter.deeds : AuditFilter()
        if case .action(let word) = what {
            // The corrections of an action begin with its name.
            filter.action = Self.kinds.contains { $0.name == word } ? "\(word)." : word
        }
        filter.actor = who
        return filter
    }
}
