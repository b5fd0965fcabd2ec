/// The number of values per line and the number of lines of a depth map, each from 1 to 4096.
package struct DepthDimensions: Sendable, Hashable {
    /// The most values per line, and the most lines.
    package static let sideMax = 4096

    /// Values per line.
    package let width: Int
    /// Lines.
    package let height: Int

    /// Takes dimensions; `nil` unless both are from 1 to ``sideMax``.
    package init?(width: Int, height: Int) {
        guard (1...Self.sideMax).contains(width), (1...Self.sideMax).contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    /// How many values the map has.
    package var values: Int { width * height }
    /// How many bytes the map has as 32-bit floating-point numbers.
    package var bytes: Int { values * 4 }
}
