import CaptureModel

/// The rules for texts that operators write into the record: reasons, notes, names.
package enum OperatorWords {
    /// Whether a text is one visible line of 1 to `bytesMax` bytes of UTF-8.
    ///
    /// It has something to see, no control character, and nothing that ends lines or turns them around. So it is one
    /// line wherever it is shown, reads in its own order, moves no terminal's cursor, and has no NUL, which PostgreSQL
    /// rejects.
    package static func areOneLine(_ text: String, bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count) && text.unicodeScalars.contains(where: isVisible)
            && !text.unicodeScalars.contains(where: \.isSteering)
    }

    /// The visible part of a text; `nil` if it is empty or longer than `scalarsMax`.
    ///
    /// Characters without a shape that turn, hide or break the text around them are left out, and spaces at the ends.
    /// The marks that pass ``areOneLine(_:bytesMax:)`` are left out too: a name looks the same with and without them.
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
        // Hangul fillers are ignorable but pass for letters; the Braille blank passes for a symbol.
        return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
            && ![.control, .format].contains(properties.generalCategory)
    }

    /// The rule of ``areOneLine(_:bytesMax:)`` in words.
    package static func rule(bytesMax: Int) -> String {
        "1 to \(bytesMax) bytes in one line, with something to see in it and nothing that turns its order around"
    }
}
