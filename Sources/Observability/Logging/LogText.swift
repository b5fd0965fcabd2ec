/// Escapes text so that it cannot break out of its line or its field.
enum LogText {
    /// A JSON string with its quotes (RFC 8259 section 7).
    static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// The text with backslash, quote and every control character escaped as in JSON, cut to a bounded length.
    ///
    /// The line separators and the C1 controls are escaped too: terminals and browsers act on them.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += scalar.utf8.count
            guard bytes <= LogLine.fieldBytesMax else { return escaped + "…" }
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where isControl(scalar): escaped += "\\u\(fourDigits(scalar.value))"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Whether a value can stand in a readable line without quotes.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= LogLine.fieldBytesMax
            && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && $0 != "=" && $0 != "\\" && !isControl($0) }
    }

    /// Wider than what operators' words may hold: a log shows texts of everybody, and every mark that cannot be seen.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x200B...0x200F).contains(scalar.value)
            || (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            || [0x061C, 0xFEFF].contains(scalar.value)
    }

    private static func fourDigits(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
