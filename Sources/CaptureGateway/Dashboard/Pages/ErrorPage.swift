import CaptureModel
import HTML
import HTTPTypes

/// What a page answers with when it cannot be shown.
struct ErrorPage: Sendable {
    let error: APIError
    let requestID: String
    /// The page that was asked for, where asking once more may show it.
    let again: Destination?
    /// The page that a form was sent from, whose own address may take no `GET`.
    let back: Destination?

    private var title: String { error.code.status.kind == .serverError ? "Not now" : "That does not work" }

    var markup: Markup {
        Shell.frame(title) {
            Markup.main("id" => "main", "class" => "login") {
                Markup.h1 { title }
                // Named, so that the script of a live page finds what it has to say.
                Markup.p("class" => "notice warn", "role" => "alert") {
                    Markup.span("id" => "failure") { words }
                    if again != nil { " This page asks again by itself." }
                }
                Markup.p("class" => "hint") {
                    Markup.code { error.code.rawValue }
                    " · request "
                    Markup.code("id" => "request") { requestID }
                }
                Markup.p("class" => "buttons") {
                    if let again {
                        Markup.a("class" => "button primary", "href" => again.address) { "Try again" }
                    }
                    if let back { Markup.a("class" => "button primary", "href" => back.address) { "Back" } }
                    Markup.a("class" => "button", "href" => Page.overview.address) { "To the overview" }
                }
            }
        }
    }

    private var words: String {
        var said = error.said
        if case .resultLost = error.cause {
            said = "Redis calls the capture settled, and PostgreSQL has no result of it: capturectl doctor"
        }
        return Wording.sentence(server.map { "\($0) is away: \(said)." } ?? "\(said).")
    }

    /// The server that is waited for.
    private var server: String? {
        guard error.code == .unavailable else { return nil }
        switch error.cause {
        case .server(.redis, _), .refusal(.redis, _): return "Redis"
        case .server(.postgres, _), .refusal(.postgres, _): return "PostgreSQL"
        case .server(.bundles, _), .refusal(.bundles, _): return "The bundle directory"
        case .server, .refusal, .busy, .resultLost, .fault, nil: return nil
        }
    }
}

extension APIError {
    /// What is wrong, in words for people.
    ///
    /// What is said of a value has its field before it; other messages name what they are about.
    var said: String {
        guard code == .validationError, let field else { return message }
        return "\(field) \(message)"
    }
}
