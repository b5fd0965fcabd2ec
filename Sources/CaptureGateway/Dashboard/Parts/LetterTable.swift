import CaptureModel
import CaptureQueue
import HTML

/// Dead letters of one group as a table, each of which an operator can choose.
struct LetterTable: Sendable {
    let letters: [DeadLetter]
    /// The table's name for those who hear the page.
    let name: String
    let now: Timestamp
    let canChoose: Bool

    var markup: Markup {
        scrollable(name) {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        if canChoose { Markup.th("scope" => "col") { Markup.span("class" => "hidden") { "Chosen" } } }
                        for title in ["Capture", "Device", "Given up"] { Markup.th("scope" => "col") { title } }
                        for title in ["Attempts", "Deliveries", "Size"] {
                            Markup.th("scope" => "col", "class" => "number") { title }
                        }
                        Markup.th("scope" => "col") { "Bytes" }
                    }
                }
                Markup.tbody { for letter in letters { row(letter) } }
            }
        }
    }

    private func row(_ letter: DeadLetter) -> Markup {
        Markup.tr {
            if canChoose {
                Markup.td {
                    Markup.input(
                        "type" => "checkbox", "name" => "letter", "value" => letter.position.description,
                        "aria-label" => "Capture \(letter.id)")
                }
            }
            Markup.td { Wording.capture(letter.id) }
            Markup.td { Wording.device(letter.status.device) }
            Markup.td { Wording.ago(letter.diedAt, now) }
            Markup.td("class" => "number") { letter.status.attempts }
            Markup.td("class" => "number") { letter.deliveries.map { Markup(String($0)) } ?? Wording.none() }
            Markup.td("class" => "number") {
                letter.bytes.areMissing
                    ? Wording.none() : letter.size.map { Markup(Wording.bytes($0)) } ?? Wording.none()
            }
            Markup.td {
                switch letter.bytes {
                case .kept: "kept"
                case .gone: Markup.span("class" => "bad") { "gone" }
                case .notFound: Markup.span("class" => "bad") { "not found" }
                case .unknown: "unknown"
                case .unseen: "in \(letter.bundleStore?.rawValue ?? "another store")"
                }
            }
        }
    }
}
