import CaptureStore
import HTML

/// `/dashboard/audit`: who did what, latest first.
struct AuditPage: Sendable {
    static let pageSize = 100

    /// The entries, one more than the page shows if others follow.
    let found: [NumberedAuditEntry]
    let before: Int64?

    func markup(_ shell: Shell) -> Markup {
        let entries = found.prefix(Self.pageSize)
        return shell.page("Audit", .audit) {
            Markup.div("class" => "title") { Markup.h1 { "Audit" } }
            Markup.div("class" => "card") {
                if entries.isEmpty {
                    Markup.p("class" => "empty") { before == nil ? "Nothing was done yet." : "No more." }
                } else {
                    AuditTable(entries: entries.map(\.entry)).markup
                }
                Pager(
                    path: Page.audit.address, fields: [], after: before.map { String($0) },
                    next: found.count > entries.count ? entries.last.map { String($0.number) } : nil
                ).markup
            }
        }
    }
}
