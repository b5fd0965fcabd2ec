/// The bounds of one reply.
package struct ReplyLimits: Sendable {
    /// Most bytes of a reply.
    ///
    /// Every value counts ``valueBytes`` more than its payload, so that a flood of tiny values
    /// is bounded as well.
    package var bytesMax: Int
    /// Longest line: a number, a length, a status or an error.
    ///
    /// Redis's own inline limit is 64 KiB.
    package var lineBytesMax: Int

    /// What a value costs beside its payload: its framing and its place in an array.
    static let valueBytes = 32

    /// Takes bounds; each must be positive.
    package init(bytesMax: Int, lineBytesMax: Int = 64 * 1_024) {
        self.bytesMax = bytesMax
        self.lineBytesMax = lineBytesMax
    }
}
