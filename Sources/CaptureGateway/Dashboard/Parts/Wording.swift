import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FoundationEssentials
import HTML

/// How pages say numbers, times and states.
enum Wording {
    /// A number with its thousands apart.
    static func number(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "\u{202F}" }
            text.append(digit)
        }
        return value < 0 ? "−\(text)" : text
    }

    /// A number with its noun: `1 capture`, `3 captures`.
    static func count(_ value: Int, _ noun: String) -> String { Plural.text(value, noun, number: number) }

    /// A count that ends at a maximum.
    static func bounded(_ value: Int) -> String {
        value >= DeviceTally.countMax ? "\(number(DeviceTally.countMax)) or more" : number(value)
    }

    /// A size.
    static func bytes(_ value: Int) -> String { ReadableSize.text(of: value) }

    /// A number with one decimal where it says something.
    static func decimal(_ value: Double) -> String {
        guard value < 100 else { return number(Int(value.rounded())) }
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }

    /// A part of a whole in per cent: 0 % only for none, and 100 % only for all.
    static func share(_ count: Int, of total: Int) -> String {
        let percent = Double(count) * 100 / Double(max(1, total))
        if count > 0, percent < 0.1 { return "< 0.1 %" }
        if count < total, percent > 99.9 { return "> 99.9 %" }
        return "\(decimal(percent)) %"
    }

    /// A length of time in the unit that fits it.
    static func duration(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        switch milliseconds {
        case ..<0.95: return "\(decimal(milliseconds * 1000)) µs"
        case ..<1000: return "\(decimal(milliseconds)) ms"
        case ..<120_000: return "\(decimal(milliseconds / 1000)) s"
        case ..<7_200_000: return "\(Int(milliseconds / 60_000)) min"
        case ..<172_800_000: return "\(Int(milliseconds / 3_600_000)) h"
        default: return "\(Int(milliseconds / 86_400_000)) d"
        }
    }

    /// A moment, to the second, with the whole of it for machines and as a hint.
    static func moment(_ moment: Timestamp) -> Markup {
        let text = moment.rfc3339
        return Markup.time("datetime" => text, "title" => text) { "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))" }
    }

    /// A moment, and how long ago it is as of the page, which may be read much later.
    @MarkupBuilder
    static func ago(_ moment: Timestamp, _ now: Timestamp) -> Markup {
        let passed = max(.zero, now.since(moment))
        Wording.moment(moment)
        " "
        Markup.small { passed < .seconds(1) ? "just now" : "\(duration(passed)) ago" }
    }

    /// A state in words, with its colour.
    static func state(_ state: CaptureState) -> Markup {
        Markup.span("class" => "state \(state.rawValue)") { state.rawValue }
    }

    /// That a key may have been in other hands, and since when.
    static func compromised(since moment: Timestamp) -> Markup {
        Markup.span(
            "class" => "chip bad", "title" => "The key may have been in other hands from then on: \(moment.rfc3339)"
        ) {
            "compromised since "
            Wording.moment(moment)
        }
    }

    /// A reason in words, with its code.
    static func reason(_ reason: Reason?, redriven: Bool = false) -> Markup {
        guard let reason else { return Markup.span("class" => "none") { "–" } }
        return Markup.span("class" => "reason", "title" => reason.explanation(redriven: redriven)) {
            Markup.code { reason.rawValue }
        }
    }

    /// The address of the list of a reason's captures.
    ///
    /// The record has no results of dead letters, so a reason of theirs is asked for together with their state. What only
    /// a newer release knows is among all that is rejected.
    static func address(of reason: Reason) -> String {
        guard ListingQuery.reasons.contains(reason) else { return "\(Page.captures.address)?state=rejected" }
        let state = Reason.ofDeadLetters.contains(reason) ? "state=failed&" : ""
        return "\(Page.captures.address)?\(state)reason=\(reason.rawValue)"
    }

    /// A capture's id, leading to its page.
    static func capture(_ id: CaptureID) -> Markup {
        Markup.a("class" => "id", "href" => Page.capture.address(id), "title" => id.description) {
            Markup.code { beginning(of: id) }
        }
    }

    /// The beginning of a capture's id, by which the search finds it: the millisecond of its receipt, and twelve random bits.
    static func beginning(of id: CaptureID) -> String { String(id.description.prefix(18)) }

    /// A device's id, leading to its page.
    /// - Parameter reason: Of its capture: a device that a worker did not know has no page, and leads to its captures.
    static func device(_ id: DeviceID, _ reason: Reason? = nil) -> Markup {
        let address = reason == .deviceUnknown ? "\(Page.captures.address)?device=\(id)" : Page.device.address(id)
        return Markup.a("class" => "id", "href" => address, "title" => id.description) {
            Markup.code { "\(id.description.prefix(8))" }
        }
    }

    /// A hint that the table counts events and not captures: one capture may be given up several times.
    static var countsGivingUp: Markup {
        Markup.p("class" => "hint") {
            "A capture that is given up again after a redrive counts each time, and once more with its verdict."
        }
    }

    /// A time as an input takes it, to the millisecond.
    static func input(_ moment: Timestamp) -> String { String(moment.rfc3339.prefix(23)) }

    /// Words with a capital first.
    static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// The text for a missing value.
    static func none(_ text: String = "–") -> Markup { Markup.span("class" => "none") { text } }
}
