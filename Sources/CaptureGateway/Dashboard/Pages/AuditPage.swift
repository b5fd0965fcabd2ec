import CaptureModel
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
        let next = found.next(after: entries)
        return Markup.div("class" => "card") {
            if !entries.isEmpty { AuditTable(entries: entries.map(\.entry)).markup }
            if let end = found.end {
                Self.bounded(end)
            } else if entries.isEmpty {
                Markup.p("class" => "empty") { empty }
            }
            Pager(
                path: Page.audit.address, fields: query.fields, after: before.map { String($0) },
                next: next.map { String($0) }
            ).markup
        }
    }

    private var empty: String {
        if before != nil { return "No more." }
        return query == AuditQuery() ? "Nothing was done yet." : "Nothing of that was done."
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
                    "select", ["id" => "filter-what", "name" => AuditQuery.Parameter.what.rawValue] + marks(.what)
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
            field("Who (a part of the name)", .who, query.who)
            field("To what (a whole id)", .subject, query.subject)
            field("From (UTC)", .from, query.from.map(Wording.input) ?? "", type: "datetime-local")
            field("To (UTC)", .to, query.to.map(Wording.input) ?? "", type: "datetime-local")
            Markup.div("class" => "buttons") {
                Markup.button("class" => "primary") { "Filter" }
                Markup.a("class" => "button quiet", "href" => AuditQuery.everything.address) { "All" }
            }
        }
    }

    private func field(
        _ title: String, _ parameter: AuditQuery.Parameter, _ said: String, type: String = "text"
    ) -> Markup {
        let name = parameter.rawValue
        var attributes: [Attribute] = [
            "type" => type, "id" => "filter-\(name)", "name" => name, "value" => value(parameter, said),
        ]
        if type == "text" {
            attributes += [
                "maxlength" => AuditQuery.whoScalarsMax, "spellcheck" => "false", "autocomplete" => "off",
            ]
        } else {
            // A time may have seconds and parts of them.
            attributes.append("step" => "any")
        }
        return Markup.div {
            Markup.label("for" => "filter-\(name)") { title }
            Markup.void("input", attributes + marks(parameter))
        }
    }

    private func option(_ value: String, _ title: String) -> Markup {
        let isChosen = value == self.value(.what, query.word)
        return Markup.element("option", ["value" => value] + Attribute.flag("selected", if: isChosen)) { title }
    }

    /// The value that a field shows: as it was sent, if the form was refused.
    private func value(_ parameter: AuditQuery.Parameter, _ said: String) -> String {
        guard let refused else { return said }
        return refused.form[parameter.rawValue] ?? ""
    }

    /// The attributes that tie the field at fault to what is said of it.
    private func marks(_ parameter: AuditQuery.Parameter) -> [Attribute] { refused?.marks(parameter.rawValue) ?? [] }
}

extension AuditQuery {
    /// The address of its first page.
    var address: String { Pager.address(Page.audit.address, fields) }
}
