import CaptureModel
import CaptureQueue
import CaptureStore
import HTML

/// `/dashboard/captures`: captures that pass a filter.
struct CapturesPage: Sendable {
    let query: ListingQuery
    let page: CaptureListing.Page
    /// Whether a ledger lists captures that wait.
    let hasLedger: Bool
    /// What was searched for and not found.
    var missing: Missing?
    /// A filter that is not valid, with the form as it was sent; nothing is listed then.
    var refused: RefusedForm?

    /// What was searched for in vain.
    struct Missing: Sendable {
        /// What the text is.
        enum Kind: Sendable {
            /// A whole id or digest, or the beginning of an id.
            case whole, beginning
            /// Nothing that is searched for.
            case other
        }

        let text: String
        let kind: Kind
    }

    func markup(_ shell: Shell) -> Markup {
        shell.page("Captures", .captures, live: query.after == nil && refused == nil) {
            Markup.div("class" => "title") {
                Markup.h1 { "Captures" }
                SearchForm(text: missing?.text ?? "").markup
            }
            if let missing { Self.notice(of: missing) }
            if let refused { refused.notice }
            filters
            if refused == nil { list(shell) }
        }
    }

    private func list(_ shell: Shell) -> Markup {
        Markup.div("id" => "captures-live", "class" => "live-part card") {
            CaptureTable(
                captures: page.captures, now: shell.now, hasNext: page.next != nil, empty: empty
            ).markup
            Pager(path: Page.captures.address, fields: query.fields, after: query.after, next: page.next).markup
        }
    }

    /// A text that is not searched for is not called unknown: lists show ids in part.
    ///
    /// By their beginnings the record's and the ledger's ids are found, and the queue alone has others.
    private static func notice(of missing: Missing) -> Markup {
        let (before, after): (String, String) =
            switch missing.kind {
            case .whole: ("Nothing is known by “", "”.")
            case .beginning: ("No id of the record begins with “", "”.")
            case .other:
                (
                    "Search takes an id, its first \(IDPrefix.charactersMin) characters or more, or a whole SHA-256, "
                        + "and not “",
                    "”. The page of a capture or device shows its whole id."
                )
            }
        return Markup.p("class" => "notice warn", "role" => "alert") {
            before
            Markup.bdi { missing.text }
            after
        }
    }

    private var empty: String {
        if query.after != nil { return "No more." }
        let mayWait = query.state != .failed && query.filter.meansOpen
        return mayWait && !hasLedger ? CaptureTable.emptyWithoutLedger : "No captures."
    }

    private var filters: Markup {
        Markup.form("method" => "get", "action" => Page.captures.address, "class" => "filters card") {
            choice("State", "state", CaptureState.allCases.map { ($0.rawValue, $0.rawValue) }, query.state?.rawValue)
            // By the code, as lists and logs have it.
            choice(
                "Reason", "reason",
                ListingQuery.reasons.map { ($0.rawValue, "\($0.rawValue): \($0.explanation)") }, query.reason?.rawValue)
            choice(
                "Confidence", "confidence", Confidence.allCases.reversed().map { ($0.rawValue, $0.rawValue) },
                query.confidence?.rawValue)
            field("Device", "device", "text", query.device?.description)
            field("From (UTC)", "from", "datetime-local", query.from.map(Wording.input))
            field("To (UTC)", "to", "datetime-local", query.to.map(Wording.input))
            Markup.div("class" => "buttons") {
                Markup.button("class" => "primary") { "Filter" }
                Markup.a("class" => "button quiet", "href" => Page.captures.address) { "All" }
            }
        }
    }

    private func choice(
        _ title: String, _ name: String, _ options: [(value: String, title: String)], _ chosen: String?
    ) -> Markup {
        let chosen = value(name, chosen)
        return Markup.div {
            Markup.label("for" => "filter-\(name)") { title }
            Markup.element("select", ["id" => "filter-\(name)", "name" => name] + marks(name)) {
                Markup.option("value" => "") { "any" }
                for (value, title) in options {
                    Markup.element("option", ["value" => value] + Attribute.flag("selected", if: value == chosen)) {
                        title
                    }
                }
            }
        }
    }

    private func field(_ title: String, _ name: String, _ type: String, _ said: String?) -> Markup {
        // A time may have seconds and parts of them.
        let attributes: [Attribute] = [
            "type" => type, "id" => "filter-\(name)", "name" => name, "value" => value(name, said) ?? "",
            "step" => "any",
        ]
        return Markup.div {
            Markup.label("for" => "filter-\(name)") { title }
            Markup.void("input", attributes + marks(name))
        }
    }

    /// The value that a field shows: as it was sent, if the form was refused.
    private func value(_ name: String, _ said: String?) -> String? {
        guard let refused else { return said }
        return refused.form[name] ?? (name == "state" ? refused.form["status"] : nil)
    }

    /// The attributes that tie the field at fault to what is said of it.
    private func marks(_ name: String) -> [Attribute] { refused?.marks(name) ?? [] }
}
