import CaptureModel
import CaptureQueue
import HTML

/// The answer of `POST /dashboard/dead` before anything is deleted.
///
/// It shows what would be deleted, and a button that deletes it.
///
/// Browsers with our script ask by themselves, and do not come here.
struct DiscardPage: Sendable {
    /// Letters that are shown.
    private static let shownMax = 50

    let letters: [DeadLetter]
    /// What the form says again.
    let fields: [(name: String, value: String)]

    func markup(_ shell: Shell) -> Markup {
        let count = letters.count
        let captures = Wording.count(count, "capture")
        return shell.page("Discard \(captures)?", .dead) {
            Markup.div("class" => "title") { Markup.h1 { "Discard \(captures)?" } }
            Markup.div("class" => "card") {
                Markup.p {
                    Markup.strong { captures }
                    " of \(origin) will be deleted for good\(what). It cannot be undone."
                }
                table(shell.now)
                shell.form(.actOnDead, class: "confirm") {
                    for (name, value) in fields {
                        Markup.input("type" => "hidden", "name" => name, "value" => value)
                    }
                    Markup.input("type" => "hidden", "name" => "confirmed", "value" => "1")
                    Markup.div("class" => "buttons") {
                        Markup.button("class" => "danger") { "Discard \(captures)" }
                        Markup.a("class" => "button", "href" => Page.dead.address) {
                            "Back, without discarding"
                        }
                    }
                }
            }
        }
    }

    /// What is deleted with them; bytes that are gone already do not count.
    private var what: String {
        let its = letters.count == 1 ? "its" : "their"
        let kept = letters.filter { !$0.bytes.areMissing }
        let isDoubtful = letters.contains { $0.bytes == .notFound }
        guard !kept.isEmpty || isDoubtful else { return "; \(its) bytes are gone already" }
        guard !kept.isEmpty else {
            return " with \(its) bytes, if those that a worker did not find were brought back since"
        }
        let sizes = kept.compactMap(\.size)
        let bytes = sizes.isEmpty ? "of unknown size" : Wording.bytes(sizes.reduce(0, +))
        let others = isDoubtful ? ", and those that were brought back since a worker did not find them" : ""
        return " with \(its) bytes (\(bytes)\(others))"
    }

    private var origin: String {
        let devices = Set(letters.map(\.status.device)).count
        return Wording.count(devices, "device")
    }

    private func table(_ now: Timestamp) -> Markup {
        scrollable("Dead letters") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        for title in ["Capture", "Device", "Given up", "Reason", "Fault"] {
                            Markup.th("scope" => "col") { title }
                        }
                    }
                }
                Markup.tbody { for letter in letters.prefix(Self.shownMax) { Self.row(letter, now) } }
            }
            if letters.count > Self.shownMax {
                Markup.p("class" => "hint") { "and \(Wording.number(letters.count - Self.shownMax)) more" }
            }
        }
    }

    private static func row(_ letter: DeadLetter, _ now: Timestamp) -> Markup {
        Markup.tr {
            Markup.td { Wording.capture(letter.id) }
            Markup.td { Wording.device(letter.status.device) }
            Markup.td { Wording.ago(letter.diedAt, now) }
            Markup.td { Wording.reason(letter.status.reason) }
            Markup.td { Markup.bdi { letter.status.fault ?? "" } }
        }
    }
}
