import HTML
import PercentEncoding

/// `/dashboard/login`: the form to log in with.
struct LoginPage: Sendable {
    /// Why somebody was led here other than by a link to a page.
    enum Cause: String, CaseIterable, Sendable {
        /// A form came without a session.
        case ended
        /// A login over plain HTTP has set a cookie that is for TLS only: the browser is asked whether it has it.
        case unkept

        /// What the page says.
        var problem: String {
            switch self {
            case .ended: "You are not logged in any more, and nothing was done. Log in, and do it again."
            case .unkept:
                "The token is right, but your browser has not kept the login: over plain HTTP it does so only at a "
                    + "name of this very machine, such as localhost. Come by HTTPS."
            }
        }
    }

    /// Whether there is any token that opens it.
    let isOpen: Bool
    /// Where the login leads; to the overview without one.
    var destination: Destination?
    /// What is known of the user's name.
    var name = ""
    /// What was wrong before.
    var problem: String?
    /// The field that was wrong, where one was.
    var fieldAtFault: Field?

    /// What is filled in.
    enum Field: Sendable { case name, token }

    /// The address of the form.
    static func address(_ cause: Cause? = nil, to destination: Destination? = nil) -> String {
        let fields =
            (cause.map { ["\($0.rawValue)=1"] } ?? [])
            + (destination.map { ["next=\(PercentEncoding.encode($0.address))"] } ?? [])
        let path = Page.login.address
        return fields.isEmpty ? path : "\(path)?\(fields.joined(separator: "&"))"
    }

    var markup: Markup {
        Shell.frame("Log in") {
            Markup.main("id" => "main", "class" => "login") {
                Markup.h1 {
                    Markup.span("class" => "mark", "aria-hidden" => "true") { "" }
                    "Captures"
                }
                if let problem {
                    Markup.p("class" => "notice warn", "role" => "alert", "id" => "problem") { problem }
                } else if let destination {
                    // A browser that comes by another site's link does not show its cookie; by this page's it does.
                    Markup.p("class" => "notice") {
                        "Log in, and the page that you asked for follows."
                        Markup.span {
                            " Are you logged in already? "
                            Markup.a("href" => destination.address, "id" => "next") { "Open it" }
                        }
                    }
                }
                if isOpen {
                    form
                } else {
                    Markup.p("class" => "notice warn") {
                        "The dashboard is closed: no token that opens it is configured. Set gateway.readTokens or gateway.operatorTokens."
                    }
                }
            }
        }
    }

    private var form: Markup {
        Markup.form("method" => "post", "action" => Page.login.address, "class" => "card", "id" => "login") {
            if let destination {
                Markup.input("type" => "hidden", "name" => "next", "value" => destination.address)
            }
            // First, since password managers take the field before the password for the name.
            Markup.label("for" => "name") { "Your name, for the audit" }
            input(
                .name, "type" => "text", "id" => "name", "name" => "name", "autocomplete" => "username",
                "required" => "required", "maxlength" => LoginName.scalarsMax, "value" => name)
            Markup.label("for" => "token") { "Token" }
            input(
                .token, "type" => "password", "id" => "token", "name" => "token", "autocomplete" => "current-password",
                "required" => "required", "maxlength" => 512)
            Markup.button("class" => "primary") { "Log in" }
        }
    }

    /// A field; the one at fault is tied to the words on it.
    private func input(_ field: Field, _ attributes: Attribute...) -> Markup {
        guard field == fieldAtFault else { return Markup.void("input", attributes) }
        return Markup.void("input", attributes + ["aria-invalid" => "true", "aria-describedby" => "problem"])
    }
}
