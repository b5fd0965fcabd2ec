/// What an operator may write into the record: reasons, notes, names.
public enum OperatorWords {
    /// Whether a text has 1 to so many bytes of UTF-8, something to see, no control character, nor what ends or turns
    /// lines around.
    ///
    /// So it is one line wherever it is shown, read in its own order, moves no terminal's cursor, and has no NUL, which
    /// PostgreSQL does not take.
    public static func areOneLine(_ text: String, bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count) && text.unicodeScalars.contains(where: isVisible)
            && !text.unicodeScalars.contains { scalar in
                [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                    || turnsLines.contains(scalar)
            }
    }

    /// The marks that only say which way a neighbour is read (U+200E, U+200F, U+061C) are written by keyboards.
    private static let turnsLines: Set<Unicode.Scalar> = Set(
        [0x202A...0x202E, 0x2066...0x2069].joined().compactMap { Unicode.Scalar(UInt32($0)) })

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        // The blank of Braille passes for a sign.
        return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
            && ![.control, .format].contains(properties.generalCategory)
    }

    /// What ``areOneLine(_:bytesMax:)`` asks for, in words.
    public static func rule(bytesMax: Int) -> String {
        "1 to \(bytesMax) bytes in one line, with something to see in it and nothing that turns its order around"
    }
}
