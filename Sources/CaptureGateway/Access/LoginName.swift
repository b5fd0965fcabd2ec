/// What people call themselves at the login; the audit begins its lines with it.
enum LoginName {
    /// Unicode scalars of a name.
    static let scalarsMax = 64

    /// What of a name can be seen; `nil` when that is nothing, or more than a name may have.
    ///
    /// Left out is what has no shape of its own but turns, hides or breaks the text around it, and spaces at the ends.
    static func visible(_ text: String) -> String? {
        let shown = String.UnicodeScalarView(text.unicodeScalars.filter { !isHidden($0) })
        guard let first = shown.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = shown.lastIndex(where: { !$0.properties.isWhitespace }),
            shown[first...last].count <= scalarsMax
        else { return nil }
        return String(shown[first...last])
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        // Fillers of Hangul and the blank of Braille pass for letters and signs.
        default: scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
        }
    }
}
