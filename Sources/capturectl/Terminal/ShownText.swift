import CaptureModel

/// Makes text safe for a terminal: text from the network or the record may be anybody's.
enum ShownText {
    /// The text in one line, read in its own order, and without characters that move a terminal's cursor.
    ///
    /// Such characters are escaped as in JSON, `\n` and `\u001b` for instance.
    static func line(_ text: String) -> String { escaped(text, \.isSteering) }

    /// The text with its line feeds kept, if it was put together of several lines here.
    static func lines(_ text: String) -> String { escaped(text) { $0 != "\n" && $0.isSteering } }

    /// JSON with such characters escaped; they occur in strings only, so its meaning stays.
    static func json(_ text: String) -> String { escaped(text) { $0.value >= 0x7F && $0.isSteering } }

    private static func escaped(_ text: String, _ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where !isEscaped(scalar): escaped.unicodeScalars.append(scalar)
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            default: escaped += "\\u" + String(repeating: "0", count: 4 - digits(scalar).count) + digits(scalar)
            }
        }
        return escaped
    }

    /// At most four digits, as all such characters lie in the basic plane.
    private static func digits(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }
}
