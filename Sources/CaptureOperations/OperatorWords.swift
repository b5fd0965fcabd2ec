/// What an operator may write into the record: reasons, notes, names.
package enum OperatorWords {
    /// Whether a text has 1 to so many bytes of UTF-8, something to see, no control character, nor what ends or turns
    /// lines around.
    ///
    /// So it is one line wherever it is shown, read in its own order, moves no terminal's cursor, and has no NUL, which
    /// PostgreSQL does not take.
    package static func areOneLine(_ text: String, bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count) && text.unicodeScalars.contains(where: isVisible)
            && !text.unicodeScalars.contains(where: isSteering)
    }

    /// Whether a character ends a line, turns it around, or steers a terminal (C0, DEL, C1).
    package static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // The marks that only say which way a neighbour is read (U+200E, U+200F, U+061C) are written by keyboards.
        case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// What of a text can be seen; `nil` when that is nothing, or more than it may have.
    ///
    /// Left out is what has no shape of its own but turns, hides or breaks the text around it, and spaces at the ends.
    /// The marks that ``isSteering(_:)`` passes are left out too: with and without them a name looks the same.
    package static func visible(_ text: String, scalarsMax: Int) -> String? {
        let shown = String.UnicodeScalarView(
            text.unicodeScalars.filter { isVisible($0) || $0.properties.generalCategory == .spaceSeparator })
        guard let first = shown.firstIndex(where: isVisible), let last = shown.lastIndex(where: isVisible),
            shown[first...last].count <= scalarsMax
        else { return nil }
        return String(shown[first...last])
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        // Fillers of Hangul are ignorable, and pass for letters; the blank of Braille passes for a sign.
        return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
            && ![.control, .format].contains(properties.generalCategory)
    }

    /// What ``areOneLine(_:bytesMax:)`` asks for, in words.
    package static func rule(bytesMax: Int) -> String {
        "1 to \(bytesMax) bytes in one line, with something to see in it and nothing that turns its order around"
    }
}
