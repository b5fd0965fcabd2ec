import CaptureModel
import HTML

/// `/dashboard/replays`: captures whose counter was not good, with the counter that was.
struct ReplaysPage: Sendable {
    /// The reasons that are shown here.
    static let reasons: [Reason] = [.counterReplay, .counterStale]

    let page: CaptureListing.Page
    let query: ListingQuery

    func markup(_ shell: Shell) -> Markup {
        shell.page("Replays", .replays, live: query.after == nil) {
            Markup.div("class" => "title") { Markup.h1 { "Replays" } }
            Markup.p("class" => "lead") {
                "A duplicate used a counter that an accepted capture had used. A stale one came with a counter below the "
                "highest accepted, which nobody had used: it was late, or made before and kept back."
            }
            Markup.nav("class" => "tabs", "aria-label" => "Kind") {
                tab("Both", nil)
                tab("Duplicates", .counterReplay)
                tab("Stale", .counterStale)
            }
            Markup.div("id" => "replays-live", "class" => "live-part card") {
                CaptureTable(
                    captures: page.captures, now: shell.now, showsCounters: true, hasNext: page.next != nil,
                    empty: query.after == nil ? "No captures." : "No more."
                ).markup
                Pager(path: Page.replays.address, fields: query.fields, after: query.after, next: page.next).markup
            }
        }
    }

    private func tab(_ title: String, _ other: Reason?) -> Markup {
        let address = "href" => Page.replays.address + (other.map { "?reason=\($0.rawValue)" } ?? "")
        return other == query.reason
            ? Markup.a(address, "aria-current" => "true") { title } : Markup.a(address) { title }
    }
}
