import CaptureModel

/// One key of the configuration: what it means, what it takes and what it is when nobody sets it.
package struct Setting: Sendable {
    /// What a key takes.
    package enum Kind: Sendable {
        /// Any text up to 4,096 characters.
        case text
        /// One of these words.
        case choice([String])
        /// A whole number in a range: decimal, in the file as well.
        case integer(ClosedRange<Int>)
        /// A time such as `250ms`, `8s`, `5m`, `24h`, in a range.
        case duration(ClosedRange<Duration>)
        /// A size such as `4096`, `64KiB`, `10MiB`, `4GiB`, in a range.
        case bytes(ClosedRange<Int>)
        /// A text of a form, which is named in words.
        case form(String, isGood: @Sendable (String) -> Bool)
        /// Several texts: a list in the file, separated by commas in the environment.
        case list
    }

    /// Its name in the file, for example `queue.lease`.
    package let key: String
    /// What it takes.
    package let kind: Kind
    /// What it is when nobody sets it, as it would be written; `nil`: not set.
    package let standard: String?
    /// Whether its value is never printed.
    package let isSecret: Bool
    /// What it means, in one sentence.
    package let summary: String

    init(_ key: String, _ kind: Kind, _ standard: String?, secret: Bool = false, _ summary: String) {
        self.key = key
        self.kind = kind
        self.standard = standard
        self.isSecret = secret
        self.summary = summary
    }

    /// Its name in the environment: `queue.capturesMax` is `CAPTURE_QUEUE_CAPTURES_MAX`.
    package var environmentName: String {
        "CAPTURE_" + words.joined(separator: "_").uppercased()
    }

    /// Its name on the command line: `queue.capturesMax` is `--queue-captures-max`.
    package var flagName: String {
        "--" + words.joined(separator: "-").lowercased()
    }

    private var words: [String] {
        var words: [String] = []
        for part in key.split(separator: ".") {
            var word = ""
            for character in part {
                if character.isUppercase, word.last?.isLowercase ?? false {
                    words.append(word)
                    word = ""
                }
                word.append(character)
            }
            words.append(word)
        }
        return words
    }

    /// What it takes, in words.
    package var range: String {
        switch kind {
        case .text: "text"
        case .choice(let words): words.joined(separator: " | ")
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .duration(let range): "\(DurationText.write(range.lowerBound)) to \(DurationText.write(range.upperBound))"
        case .bytes(let range): "\(BytesText.write(range.lowerBound)) to \(BytesText.write(range.upperBound))"
        case .form(let words, _): words
        case .list: "list"
        }
    }
}

/// Times as the configuration writes them.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    static func read(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard let number = Int(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    static func write(_ duration: Duration) -> String {
        let milliseconds = duration.whole(.milliseconds(1))
        let unit = units.last { milliseconds.isMultiple(of: $0.milliseconds) && milliseconds > 0 } ?? units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}

/// Sizes as the configuration writes them.
enum BytesText {
    private static let units: [(suffix: String, shift: Int)] = [
        ("", 0), ("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40),
    ]

    static func read(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard let number = Int(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << unit.shift)
        return overflow ? nil : bytes
    }

    static func write(_ bytes: Int) -> String {
        let unit = units.last { bytes.isMultiple(of: 1 << $0.shift) && bytes > 0 } ?? units[0]
        return "\(bytes >> unit.shift)\(unit.suffix)"
    }
}
