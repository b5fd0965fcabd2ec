/// What an operator may write into the record: reasons, notes, names.
public enum OperatorWords {
    /// Whether a text has 1 to so many bytes of UTF-8 and no control character.
    ///
    /// So it is one line wherever it is shown, moves no terminal's cursor, and has no NUL, which PostgreSQL does not take.
    public static func areOneLine(_ text: String, bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// What ``areOneLine(_:bytesMax:)`` asks for, in words.
    public static func rule(bytesMax: Int) -> String { "1 to \(bytesMax) bytes without control characters" }
}
