import HTML
import HTTPTypes

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
