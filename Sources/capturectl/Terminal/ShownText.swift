import CaptureOperations

/// Text as a terminal may have it: what came over the network, or out of the record, may be anybody's.
enum ShownText {
    /// The text in one line, read in its own order, and without what moves a terminal's cursor.
    ///
    /// What would is written as JSON would have it, `\n` and `\u001b` for instance.
    static func line(_ text: String) -> String { escaped(text) { OperatorWords.isSteering($0) } }

    /// The same for what was put together of several lines here.
    static func lines(_ text: String) -> String { escaped(text) { $0 != "\n" && OperatorWords.isSteering($0) } }

    /// JSON, in which such characters stand in strings only: it means the same.
    static func json(_ text: String) -> String {
        escaped(text) { $0.value >= 0x7F && OperatorWords.isSteering($0) }
    }

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

    /// Four at the most: what steers lies in the basic plane.
    private static func digits(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }
}
