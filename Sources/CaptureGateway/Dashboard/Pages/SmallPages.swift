import CaptureStore
import HTML
import HTTPTypes

/// `/dashboard/audit`: who did what, latest first.
struct AuditPage: Sendable {
    static let pageSize = 100

    let entries: [NumberedAuditEntry]
    let before: Int64?

    func markup(_ shell: Shell) -> Markup {
        shell.page("Audit", .audit) {
            Markup.div("class" => "title") { Markup.h1 { "Audit" } }
            Markup.div("class" => "card") {
                if entries.isEmpty {
                    Markup.p("class" => "empty") { "Nothing was done yet." }
                } else {
                    AuditTable(entries: entries.map(\.entry)).markup
                }
                Pager(
                    path: Page.audit.template.description, fields: [], after: before.map { String($0) },
                    next: entries.count == Self.pageSize ? entries.last.map { String($0.number) } : nil
                ).markup
            }
        }
    }
}

/// `/dashboard/login`: the door.
struct LoginPage: Sendable {
    /// Whether there is any token that opens it.
    let isOpen: Bool
    /// What was wrong with the last try.
    var problem: String?

    var markup: Markup {
        Shell.frame("Log in") {
            Markup.main("id" => "main", "class" => "login") {
                Markup.h1 {
                    Markup.span("class" => "mark", "aria-hidden" => "true") { "" }
                    "Captures"
                }
                if let problem { Markup.p("class" => "notice warn", "role" => "alert") { problem } }
                if isOpen {
                    form
                } else {
                    Markup.p("class" => "notice warn") {
                        "The dashboard is closed: no token is configured. Set gateway.readTokens or gateway.operatorTokens."
                    }
                }
            }
        }
    }

    private var form: Markup {
        Markup.form("method" => "post", "action" => Page.login.template.description, "class" => "card", "id" => "login")
        {
            Markup.label("for" => "token") { "Token" }
            Markup.input(
                "type" => "password", "id" => "token", "name" => "token", "autocomplete" => "current-password",
                "required" => "required", "maxlength" => 512)
            Markup.label("for" => "name") { "Your name, for the audit" }
            Markup.input(
                "type" => "text", "id" => "name", "name" => "name", "autocomplete" => "username",
                "required" => "required", "maxlength" => 64)
            Markup.button("class" => "primary") { "Log in" }
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
                    Markup.a("class" => "button", "href" => Page.overview.template.description) { "To the overview" }
                }
            }
        }
    }
}
