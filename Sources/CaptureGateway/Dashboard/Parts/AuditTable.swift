import CaptureOperations
import CaptureStore
import HTML

/// Lines of the audit as a table; what people wrote is set apart, so that it cannot turn the line around.
struct AuditTable: Sendable {
    let entries: [AuditEntry]
    private let isCut: Bool

    /// Some lines of the audit.
    init(entries: [AuditEntry]) { (self.entries, isCut) = (entries, false) }

    /// The latest of what was done to one thing.
    init(trail: AuditTrail) { (entries, isCut) = (trail.entries, trail.isCut) }

    @MarkupBuilder var markup: Markup {
        scrollable("Audit") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        for title in ["When", "Who", "What", "To what", "Details"] {
                            Markup.th("scope" => "col") { title }
                        }
                    }
                }
                Markup.tbody {
                    for entry in entries {
                        Markup.tr {
                            Markup.td { Wording.moment(entry.at) }
                            Markup.td { Markup.bdi { entry.actor } }
                            Markup.td { Markup.code { entry.action } }
                            Markup.td { subject(entry) }
                            Markup.td { details(entry) }
                        }
                    }
                }
            }
        }
        if isCut {
            Markup.p("class" => "hint") {
                "Earlier ones are in the "
                Markup.a("href" => AuditQuery(subject: entries.first?.subject ?? "").address) { "audit" }
                "."
            }
        }
    }

    @MarkupBuilder
    private func details(_ entry: AuditEntry) -> Markup {
        for (index, detail) in entry.details.sorted(by: { $0.key < $1.key }).enumerated() {
            "\(index > 0 ? " · " : "")\(detail.key): "
            Markup.bdi { detail.value }
        }
    }

    private func subject(_ entry: AuditEntry) -> Markup {
        // The kind of thing comes first in an action's name.
        let page: Page? =
            entry.action.hasPrefix("device.") ? .device : entry.action.hasPrefix("capture.") ? .capture : nil
        guard let page, entry.subject.utf8.count == 36 else { return Markup.bdi { entry.subject } }
        return Markup.a("class" => "id", "href" => page.address(entry.subject)) {
            Markup.code { entry.subject }
        }
    }
}
