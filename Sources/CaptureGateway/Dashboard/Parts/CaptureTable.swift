import CaptureModel
import CaptureOperations
import CaptureStore
import HTML

/// Captures as a table, with the way to the next page.
struct CaptureTable: Sendable {
    let captures: [ListedCapture]
    let now: Timestamp
    /// Whether counters are shown, which tell replays from late ones.
    var showsCounters = false
    /// Whether a page follows: then there may be captures although this one has none.
    var hasNext = false
    /// What is said where there are none.
    var empty = "No captures."

    /// The text for an empty list without a ledger, as only a ledger lists captures that wait.
    static let emptyWithoutLedger =
        "None to list. Captures that wait are listed only where a ledger is kept (queue.durability)."

    var markup: Markup {
        guard !captures.isEmpty else {
            return Markup.p("class" => "empty") { hasNext ? "None among these; go on." : empty }
        }
        return scrollable("Captures") {
            Markup.table("class" => "captures") {
                Markup.thead {
                    Markup.tr {
                        Markup.th("scope" => "col") { "Capture" }
                        Markup.th("scope" => "col") { "State" }
                        Markup.th("scope" => "col") { "Reason" }
                        if showsCounters {
                            Markup.th("scope" => "col", "class" => "number") { "Counter received" }
                            Markup.th("scope" => "col", "class" => "number") { "Highest accepted before" }
                        } else {
                            Markup.th("scope" => "col") { "Confidence" }
                            Markup.th("scope" => "col", "class" => "number") { "Attempts" }
                        }
                        Markup.th("scope" => "col") { "Device" }
                        Markup.th("scope" => "col") { "Received" }
                    }
                }
                Markup.tbody { for capture in captures { row(capture) } }
            }
        }
    }

    private func row(_ capture: ListedCapture) -> Markup {
        Markup.tr {
            Markup.td { Wording.capture(capture.id) }
            Markup.td {
                Wording.state(capture.state)
                if let since = capture.result?.compromisedSince {
                    " "
                    Wording.compromised(since: since)
                }
            }
            Markup.td {
                Wording.reason(capture.reason, redriven: capture.isRedriven)
                if capture.isRedriven { Markup.span("class" => "chip") { "redriven" } }
            }
            if showsCounters {
                Markup.td("class" => "number") { Self.number(capture.result?.counter) }
                Markup.td("class" => "number") { Self.number(capture.result?.counterHighest) }
            } else {
                Markup.td { capture.result.map { Markup($0.confidence.rawValue) } ?? Wording.none() }
                Markup.td("class" => "number") { capture.attempts }
            }
            Markup.td { Wording.device(capture.device, capture.reason) }
            Markup.td { Wording.ago(capture.receivedAt, now) }
        }
    }

    private static func number(_ value: UInt32?) -> Markup {
        value.map { Markup(Wording.number(Int($0))) } ?? Wording.none()
    }
}
