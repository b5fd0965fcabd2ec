extension Unicode.Scalar {
    /// Whether the character ends a line, turns it around, or steers a terminal (C0, DEL, C1).
    package var isSteering: Bool {
        switch value {
        // U+200E, U+200F and U+061C only set a neighbour's direction, and keyboards write them: they pass.
        case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
