import CaptureStore
import HTML

/// `/dashboard/audit`: who did what, latest first.
struct AuditPage: Sendable {
    static let pageSize = 100

    /// The entries, one more than the page shows if others follow.
    let found: AuditLogPage
    let query: AuditQuery
    let before: Int64?
    /// A filter that is not valid, with the form as it was sent; nothing is listed then.
    var refused: RefusedForm?

    func markup(_ shell: Shell) -> Markup {
        shell.page("Audit", .audit) {
            Markup.div("class" => "title") { Markup.h1 { "Audit" } }
            if let refused { refused.notice }
            filters
            if refused == nil { list }
        }
    }

    private var list: Markup {
        let entries = found.entries.prefix(Self.pageSize)
        return Markup.div("class" => "card") {
            if !entries.isEmpty { AuditTable(entries: entries.map(\.entry)).markup }
            if let end = found.end {
                Self.bounded(end)
            } else if entries.isEmpty {
                Markup.p("class" => "empty") { empty }
            }
            Pager(
                path: Page.audit.address, fields: query.fields, after: before.map { String($0) },
                next: next(after: entries).map { String($0) }
            ).markup
        }
    }

    /// Where the next page begins.
    private func next(after entries: ArraySlice<NumberedAuditEntry>) -> Int64? {
        found.entries.count > entries.count ? entries.last?.number : found.end?.number
    }

    private var empty: String {
        if before != nil { return "No more." }
        return query.what == .deeds && query.who.isEmpty ? "Nothing was done yet." : "Nothing of that was done."
    }

    /// Said where a page ends before it is full.
    private static func bounded(_ end: AuditLogPage.Place) -> Markup {
        Markup.p("class" => "hint") {
            "\(Wording.number(AuditLogPage.looksMax)) entries were looked through for this page, back to "
            Wording.moment(end.at)
            ". Earlier ones are on the next page."
        }
    }

    private var filters: Markup {
        Markup.form("method" => "get", "action" => Page.audit.address, "class" => "filters card") {
            Markup.div {
                Markup.label("for" => "filter-what") { "What" }
                Markup.element(
                    "select", ["id" => "filter-what", "name" => AuditQuery.whatField] + marks(AuditQuery.whatField)
                ) {
                    option("", "what people did")
                    option(AuditQuery.everythingWord, "all, with what programs noted")
                    for kind in AuditQuery.kinds {
                        Markup.element("optgroup", ["label" => kind.name]) {
                            if kind.actions.count > 1 { option(kind.name, "\(kind.name): all") }
                            for action in kind.actions { option(action.rawValue, action.rawValue) }
                        }
                    }
                }
            }
            Markup.div {
                Markup.label("for" => "filter-who") { "Who (a part of the name)" }
                Markup.void("input", whoInput + marks(AuditQuery.whoField))
            }
            Markup.div("class" => "buttons") {
                Markup.button("class" => "primary") { "Filter" }
                Markup.a("class" => "button quiet", "href" => AuditQuery.everything.address) { "All" }
            }
        }
    }

    private var whoInput: [Attribute] {
        [
            "type" => "text", "id" => "filter-who", "name" => AuditQuery.whoField,
            "value" => value(AuditQuery.whoField, query.who), "maxlength" => AuditQuery.whoScalarsMax,
            "spellcheck" => "false", "autocomplete" => "off",
        ]
    }

    private func option(_ value: String, _ title: String) -> Markup {
        let isChosen = value == self.value(AuditQuery.whatField, query.word)
        return Markup.element("option", ["value" => value] + Attribute.flag("selected", if: isChosen)) { title }
    }

    /// The value that a field shows: as it was sent, if the form was refused.
    private func value(_ name: String, _ said: String) -> String {
        guard let refused else { return said }
        return refused.form[name] ?? ""
    }

    /// The attributes that tie the field at fault to what is said of it.
    private func marks(_ name: String) -> [Attribute] { refused?.marks(name) ?? [] }
}
