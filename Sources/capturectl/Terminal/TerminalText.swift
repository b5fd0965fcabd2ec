import CaptureOperations

/// Figures in words for people.
enum TerminalText {
    /// A time span in its largest unit: `12 s`, `3 min`, `5 h`, `9 d`.
    static func age(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    /// A short waiting time: `0.3 s`, `12 s`, `1 min`; at least `0.1 s`.
    static func pause(_ duration: Duration) -> String {
        guard duration < .seconds(10) else { return age(duration) }
        return "\(max(1, (duration / .milliseconds(100)).rounded()) / 10) s"
    }

    /// A size in its largest unit: `512 B`, `3.1 MiB`.
    static func bytes(_ count: Int) -> String { ReadableSize.text(of: count) }

    /// A number with its noun and verb: `1 lane is`, `3 lanes are`.
    static func are(_ number: Int, _ noun: String) -> String {
        "\(count(number, noun)) \(number == 1 ? "is" : "are")"
    }

    /// A number with its noun: `1 capture`, `3 captures`, `10000 or more captures`.
    static func count(_ number: Int, _ noun: String, orMore: Bool = false) -> String {
        Plural.text(number, noun, orMore: orMore)
    }
}
