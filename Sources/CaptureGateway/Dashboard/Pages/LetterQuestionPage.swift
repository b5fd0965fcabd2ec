import CaptureModel
import CaptureOperations
import CaptureQueue
import HTML

/// The answer of `POST /dashboard/dead` before letters are deleted, or many are put back.
///
/// It shows which letters are meant, and has a button that does it.
///
/// Browsers with our script ask by themselves, and do not come here.
struct LetterQuestionPage: Sendable {
    /// Letters that are shown.
    private static let shownMax = 50

    let verb: LetterVerb
    let letters: [DeadLetter]
    /// The address of the page that was asked.
    let origin: String
    /// What the form says again.
    let fields: [(name: String, value: String)]

    func markup(_ shell: Shell) -> Markup {
        let captures = Wording.count(letters.count, "capture")
        let deed = "\(Wording.sentence(verb.rawValue)) \(captures)"
        return shell.page("\(deed)?", .dead) {
            Markup.div("class" => "title") { Markup.h1 { "\(deed)?" } }
            Markup.div("class" => "card") {
                Markup.p {
                    Markup.strong { captures }
                    " of \(Self.devices(of: letters)) will be \(outcome)"
                }
                table(shell.now)
                shell.form(.actOnDead, class: "confirm") {
                    for (name, value) in fields {
                        Markup.input("type" => "hidden", "name" => name, "value" => value)
                    }
                    Markup.input("type" => "hidden", "name" => "confirmed", "value" => "1")
                    Markup.div("class" => "buttons") {
                        Markup.button("class" => (verb == .discard ? "danger" : "primary")) { deed }
                        Markup.a("class" => "button", "href" => origin) {
                            "Back, without \(verb == .discard ? "discarding" : "redriving")"
                        }
                    }
                }
            }
        }
    }

    private var each: String { letters.count > 1 ? ", each" : "" }

    /// What becomes of them.
    private var outcome: String {
        switch verb {
        case .discard: "deleted for good\(what). It cannot be undone."
        case .redrive: "put back\(each) at the end of its lane, with all attempts again.\(Self.doubt(of: letters))"
        }
    }

    /// What the browser asks before it sends the form, in place of this page.
    /// - Parameter name: What the letters are called; how many of how many devices, unless it is given.
    static func question(_ verb: LetterVerb, _ letters: [DeadLetter], of name: String? = nil) -> String {
        let captures = name ?? "\(Wording.count(letters.count, "capture")) of \(devices(of: letters))"
        return switch verb {
        case .discard where letters.allSatisfy({ $0.bytes == .gone }):
            "Delete \(captures) for good? The bytes are gone already."
        case .discard: "Delete \(captures) and the bytes for good?"
        case .redrive: "Put back \(captures), with all attempts again?\(doubt(of: letters))"
        }
    }

    /// How many of them a redrive helps as little as before; empty for none.
    private static func doubt(of letters: [DeadLetter]) -> String {
        let vain = letters.count { $0.isRedriveInVain }
        guard vain > 0 else { return "" }
        let which = letters.count == 1 ? "It" : "\(Wording.number(vain)) of them"
        return " \(which) will end here again: as far as is known, the bytes are missing, or not those that were "
            + "accepted."
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

    /// How many devices they are of.
    private static func devices(of letters: [DeadLetter]) -> String {
        Wording.count(Set(letters.map(\.status.device)).count, "device")
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
