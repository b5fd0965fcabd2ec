/// The id of an entry of a stream: milliseconds, and a number among those of the same millisecond.
struct StreamID: Comparable {
    private let milliseconds: UInt64
    private let number: UInt64

    /// Reads `<milliseconds>-<number>`.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = UInt64(parts[0]), let number = UInt64(parts[1]) else { return nil }
        (self.milliseconds, self.number) = (milliseconds, number)
    }

    static func < (one: StreamID, other: StreamID) -> Bool {
        (one.milliseconds, one.number) < (other.milliseconds, other.number)
    }
}
