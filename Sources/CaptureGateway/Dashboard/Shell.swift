import CaptureModel
import CaptureOperations
import CaptureQueue
import HTML

/// What all pages have around them.
struct Shell: Sendable {
    /// Who looks at it.
    let user: DashboardUser
    /// The time of the answer, for what is said relative to it.
    let now: Timestamp
    /// How full the queue is, and whether it is paused, as far as the page knows.
    var load: QueueLoad?
    /// Since when and by whom it is paused, where that is known.
    var pause: NotedPause?
    /// What was done just now, as the query tells.
    var notice: String?

    private static let links: [(page: Page, title: String)] = [
        (.overview, "Overview"), (.captures, "Captures"), (.rejections, "Rejections"), (.replays, "Replays"),
        (.devices, "Devices"), (.dead, "Dead letters"), (.audit, "Audit"),
    ]

    /// Whether the queue is paused, as far as the page knows.
    var isPaused: Bool { load?.isPaused ?? false }

    /// A whole page.
    /// - Parameter live: Whether what is marked as live is loaded again when there is news.
    func page(
        _ title: String, _ page: Page, live: Bool = false, @MarkupBuilder _ content: () -> Markup
    ) -> Markup {
        let content = content()
        return Self.frame(title, live: live) {
            Markup.a("class" => "skip", "href" => "#main") { "Skip to the content" }
            header(page)
            Markup.main("id" => "main", "tabindex" => "-1") {
                // There from the start, so that what the script says in it is read aloud.
                if live {
                    Markup.div("id" => "stale", "class" => "stale", "role" => "status") {}
                    Markup.div("id" => "news", "class" => "hidden", "role" => "status") {}
                }
                if let notice { Markup.p("class" => "notice", "role" => "status") { notice } }
                // A pause concerns what may still change, and captures that are put back.
                Self.announced {
                    Markup.div("id" => "paused-live", "class" => "live-part") {
                        if isPaused, live || page == .dead { pausedBanner(page) }
                    }
                }
                content
            }
            Markup.footer {
                Markup.span {
                    "All times are UTC."
                    // A live part is loaded again later, so this time would not be its own.
                    if !live { asOf }
                }
                if live {
                    Markup.output("id" => "live", "class" => "live", "aria-live" => "off") {
                        "Updates on reload."
                        asOf
                    }
                    // For the script only, which shows it.
                    Markup.element(
                        "button",
                        ["id" => "hold", "class" => "quiet", "type" => "button", "aria-pressed" => "false"]
                            + Attribute.flag("hidden")
                    ) { "Hold" }
                }
            }
        }
    }

    /// What is around a live part whose words are read aloud once they are there: it stays while the part is replaced.
    static func announced(@MarkupBuilder _ part: () -> Markup) -> Markup {
        Markup.div("role" => "status", content: part)
    }

    /// When the page was read.
    @MarkupBuilder
    private var asOf: Markup {
        " As of "
        Wording.moment(now)
        "."
    }

    private func header(_ page: Page) -> Markup {
        Markup.header("class" => "top") {
            // Labelled, as its words alone are those of the link to the list as well.
            Markup.a("class" => "brand", "href" => Page.overview.address, "aria-label" => "Captures, overview") {
                Markup.span("class" => "mark", "aria-hidden" => "true") { "" }
                "Captures"
            }
            Markup.nav("aria-label" => "Pages") {
                for (other, title) in Self.links {
                    let isHere =
                        other == page || (other == .captures && page == .capture)
                        || (other == .devices && page == .device)
                    let marks: [Attribute] = isHere ? ["aria-current" => "page"] : []
                    Markup.element("a", ["href" => other.address] + marks) {
                        title
                        if other == .dead {
                            " "
                            deadLetters
                        }
                    }
                }
            }
            form(.logOut, class: "who") {
                Markup.bdi("title" => user.name) { user.name }
                Markup.span("class" => "chip") { user.isOperator ? "operator" : "read-only" }
                Markup.button("class" => "quiet") { "Log out" }
            }
        }
    }

    /// How many dead letters there are; nothing where there is none.
    private var deadLetters: Markup {
        Markup.span("id" => "dead-live", "class" => "live-part") {
            if let count = load?.deadLetters, count > 0 { Wording.number(count) }
        }
    }

    private func pausedBanner(_ page: Page) -> Markup {
        Markup.div("class" => "notice warn") {
            Markup.span {
                "The queue is paused"
                if let pause {
                    " since "
                    Wording.moment(pause.since)
                    if let actor = pause.actor {
                        ", by "
                        Markup.bdi { actor }
                    } else if pause.isAuditRead {
                        ", by whom the audit does not say"
                    }
                }
                ": workers claim nothing until it is resumed"
                if page != .overview {
                    " at the "
                    Markup.a("href" => Page.overview.address) { "overview" }
                }
                "."
            }
        }
    }

    /// A form that carries the session's token.
    func form(
        _ page: Page, to path: String? = nil, class name: String = "", @MarkupBuilder _ content: () -> Markup
    ) -> Markup {
        Markup.form(
            "method" => "post", "action" => path ?? page.address, "class" => name
        ) {
            Markup.input("type" => "hidden", "name" => "form_token", "value" => user.formToken)
            content()
        }
    }

    /// The document itself, for pages with and without a session.
    static func frame(_ title: String, live: Bool = false, @MarkupBuilder _ body: () -> Markup) -> Markup {
        Markup.html("lang" => "en") {
            Markup.head {
                Markup.meta("charset" => "utf-8")
                Markup.meta("name" => "viewport", "content" => "width=device-width, initial-scale=1")
                Markup.meta("name" => "color-scheme", "content" => "light dark")
                Markup.meta("name" => "robots", "content" => "noindex")
                Markup.title { "\(title) · capture-processor" }
                Markup.link("rel" => "stylesheet", "href" => Page.asset.address("dashboard.css"))
                Markup.link("rel" => "icon", "href" => Page.asset.address("icon.svg"), "type" => "image/svg+xml")
                for script in live ? ["dashboard", "live"] : ["dashboard"] {
                    Markup.element("script", ["src" => Page.asset.address("\(script).js")] + Attribute.flag("defer")) {}
                }
            }
            Markup.body("data-live" => (live ? "/api/v1/events" : ""), content: body)
        }
    }
}
