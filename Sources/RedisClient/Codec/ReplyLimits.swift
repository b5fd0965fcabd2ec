/// The bounds of one reply.
struct ReplyLimits: Sendable {
    /// Most bytes of a reply.
    ///
    /// Every value counts ``valueBytes`` more than its payload, so that a flood of tiny values
    /// is bounded as well.
    var bytesMax: Int
    /// Longest line: a number, a length, a status or an error.
    ///
    /// Redis's own inline limit is 64 KiB.
    var lineBytesMax = 64 * 1_024

    /// What a value costs beside its payload: its framing and its place in an array.
    static let valueBytes = 32
}
