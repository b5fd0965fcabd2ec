import RedisClient

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

extension StreamID {
    /// The last entry that the queue's group has delivered, by an answer of `XINFO GROUPS`; `nil` if it does not tell.
    static func lastDelivered(in groups: RedisValue) -> StreamID? {
        let rows = (groups.array ?? []).map { ($0.array ?? []).pairs }
        let own = rows.first { $0.contains { $0.name == "name" && $0.value.string == Keyspace.group } }
        return own?.first { $0.name == "last-delivered-id" }?.value.string.flatMap(StreamID.init)
    }
}
