import CaptureModel

/// One key of the configuration, with its meaning, its allowed values and its default.
package struct Setting: Sendable {
    /// The allowed values of a key.
    package enum Kind: Sendable {
        /// Any text of at most ``Settings/textBytesMax`` bytes.
        case text
        /// One of these words.
        case choice([String])
        /// A whole number in a range: decimal, in the file as well.
        case integer(ClosedRange<Int>)
        /// A time such as `250ms`, `8s`, `5m`, `24h`, in a range.
        case duration(ClosedRange<Duration>)
        /// A size such as `4096`, `64KiB`, `10MiB`, `4GiB`, in a range.
        case bytes(ClosedRange<Int>)
        /// A text of a form; the words name the form.
        case form(String, isGood: @Sendable (String) -> Bool)
        /// Several texts: a list in the file, separated by commas in the environment.
        case list
    }

    /// Its name in the file, for example `queue.lease`.
    package let key: String
    /// Its allowed values.
    package let kind: Kind
    /// The default, as it would be written; `nil`: not set.
    package let standard: String?
    /// Whether its value is never printed.
    package let isSecret: Bool
    /// Its meaning in one sentence.
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

    /// Its allowed values in words.
    package var range: String {
        switch kind {
        case .text: "text"
        case .choice(let words): words.joined(separator: " | ")
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .duration(let range):
            "\(SettingDuration.write(range.lowerBound)) to \(SettingDuration.write(range.upperBound))"
        case .bytes(let range): "\(SettingSize.write(range.lowerBound)) to \(SettingSize.write(range.upperBound))"
        case .form(let words, _): words
        case .list: "list"
        }
    }
}
