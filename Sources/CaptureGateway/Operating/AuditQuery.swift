import CaptureModel
import CaptureOperations
import CaptureStore

/// What the audit is asked for: what was done, who did it, to what, and when.
struct AuditQuery: Sendable, Equatable {
    /// What was done.
    enum Wanted: Sendable, Equatable {
        /// What people did; what programs note of their own work is left out.
        case deeds
        case everything
        /// One kind of thing, or one action.
        case action(String)
    }

    /// What the audit may be asked for.
    enum Parameter: String, CaseIterable, Sendable {
        case what, who, subject, from, to, after, limit
    }

    /// How many characters of a name, or of a subject, can be asked for.
    static let whoScalarsMax = 128
    /// The word for ``Wanted/everything`` in the query.
    static let everythingWord = "all"
    /// All that the audit has.
    static let everything = AuditQuery(what: .everything)

    /// What was done.
    var what = Wanted.deeds
    /// A part of the name of who did it; empty for anybody's.
    var who = ""
    /// What it was done to: a capture's or device's id, or another subject as the audit names it; empty for anything.
    var subject = ""
    /// Only noted at this moment or later.
    var from: Timestamp?
    /// Only noted before this moment.
    var to: Timestamp?

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

    /// All that can be asked for by ``Parameter/what``.
    static let words: [String] = [everythingWord] + kinds.map(\.name) + AuditAction.allCases.map(\.rawValue)

    /// Asks for what people did, or for something else that was done, by anybody.
    init(what: Wanted = .deeds) { self.what = what }

    /// Asks for all that was done to one subject.
    init(subject: String) { (what, self.subject) = (.everything, subject) }

    /// Reads the parameters of the API's audit, which refuses a time without a zone.
    init(strict fields: FormFields) throws(APIError) {
        try self.init(fields) { Timestamp(rfc3339: $0) }
    }

    /// Reads the parameters of the page, whose inputs send times without a zone.
    init(_ fields: FormFields) throws(APIError) {
        try self.init(fields, moment: ListingQuery.local)
    }

    /// Reads the parameters; a value that means nothing is named.
    private init(_ fields: FormFields, moment: (String) -> Timestamp?) throws(APIError) {
        if let word = fields[Parameter.what.rawValue] {
            let isAction = Self.kinds.contains { $0.name == word || $0.actions.contains { $0.rawValue == word } }
            guard isAction || word == Self.everythingWord else {
                throw .invalid(
                    Parameter.what.rawValue, "must be all, a kind of thing, as in device, or an action of the audit")
            }
            what = isAction ? .action(word) : .everything
        }
        who = try Self.text(fields, .who, "a part of a name")
        let named = try Self.text(fields, .subject, "an id, or another subject as the audit names it")
        // The audit has ids in lower case.
        subject = CaptureID(named)?.description ?? named
        from = try Self.time(fields, .from, moment)
        to = try Self.time(fields, .to, moment)
        if let from, let to, from >= to { throw .invalid(Parameter.to.rawValue, "must be later than from") }
    }

    /// Blanks alone, which a text that was taken out of its field leaves, ask for nothing.
    private static func text(
        _ fields: FormFields, _ parameter: Parameter, _ what: String
    ) throws(APIError) -> String {
        guard let text = fields[parameter.rawValue], !text.allSatisfy(\.isWhitespace) else { return "" }
        guard let visible = OperatorWords.visible(text, scalarsMax: whoScalarsMax) else {
            throw .invalid(parameter.rawValue, "must be \(what), of \(whoScalarsMax) characters at the most")
        }
        return visible
    }

    private static func time(
        _ fields: FormFields, _ parameter: Parameter, _ moment: (String) -> Timestamp?
    ) throws(APIError) -> Timestamp? {
        guard let text = fields[parameter.rawValue] else { return nil }
        guard let time = moment(text) else { throw .invalid(parameter.rawValue, "must be \(ListingQuery.momentsRead)") }
        return time
    }

    /// The number of the last entry of the page before, which a query of the next one names; `nil` for the first page.
    static func place(in fields: FormFields) throws(APIError) -> Int64? {
        guard let text = fields[Parameter.after.rawValue] else { return nil }
        guard let number = Int64(text) else { throw .invalid(Parameter.after.rawValue, "must be the `next` of a page") }
        return number
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
        let all: [(Parameter, String)] = [
            (.what, word), (.who, who), (.subject, subject), (.from, from?.rfc3339 ?? ""), (.to, to?.rfc3339 ?? ""),
        ]
        return all.filter { !$0.1.isEmpty }.map { (name: $0.0.rawValue, value: $0.1) }
    }

    /// The entries that are meant.
    var filter: AuditFilter {
        var filter = what == .deeds ? AuditFilter.deeds : AuditFilter()
        if case .action(let word) = what {
            // The corrections of an action begin with its name.
            filter.action = Self.kinds.contains { $0.name == word } ? "\(word)." : word
        }
        filter.actor = who
        filter.subject = subject
        (filter.from, filter.before) = (from, to)
        return filter
    }
}
