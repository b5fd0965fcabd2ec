import CaptureStore
import HTML
import HTTPTypes

/// `/dashboard/audit`: who did what, latest first.
struct AuditPage: Sendable {
    static let pageSize = 100

    /// One more than the page shows, where others follow.
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

/// What a page answers with when it cannot be shown.
struct ErrorPage: Sendable {
    let error: APIError
    let requestID: String

    var markup: Markup {
        Shell.frame("\(error.code.status.code)") {
            Markup.main("id" => "main", "class" => "login") {
                Markup.h1 { error.code.status.kind == .serverError ? "Not now" : "That does not work" }
                Markup.p("class" => "notice warn", "role" => "alert") {
                    [error.field, error.message].compactMap { $0 }.joined(separator: " ")
                }
                Markup.p("class" => "hint") {
                    Markup.code { error.code.rawValue }
                    " · request "
                    Markup.code { requestID }
                }
                Markup.p {
                    Markup.a("class" => "button", "href" => Page.overview.address) { "To the overview" }
                }
            }
        }
    }
}
