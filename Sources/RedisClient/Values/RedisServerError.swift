/// An error reply of the server: `-PREFIX what it says`.
package struct RedisServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line without the leading `-`, and without a command's arguments; a long one is cut as texts are that are
    /// shown, as it may quote what somebody has written.
    package let message: String

    /// Keeps an error line.
    ///
    /// For an unknown command Redis quotes the arguments (`src/server.c`, `processCommand`), which may be secret; they
    /// are cut off.
    package init(_ message: String) {
        let arguments = message.utf8.firstRange(of: ", with args beginning with".utf8)
        // Never `nil`: a text is valid UTF-8.
        self.message = RedisValue.shown(message[..<(arguments?.lowerBound ?? message.endIndex)].utf8) ?? ""
    }

    /// The first word of the line: `ERR`, `NOGROUP`, `OOM`, `MOVED`, or one that a Lua function chose.
    package var prefix: String {
        String(Substring(message.utf8.prefix { $0 != UInt8(ascii: " ") }))
    }

    /// Whether the server says this only while it starts, fails over or is full.
    package var isTransient: Bool { Self.transientPrefixes.contains(prefix) }

    /// Whether it is a replica's refusal of a write.
    var isOfReplica: Bool { message.hasPrefix("READONLY") }

    /// The error line.
    package var description: String { message }

    /// The prefixes of states that pass by themselves (Redis `src/server.c`, shared error objects).
    static let transientPrefixes: Set<String> = [
        "LOADING", "READONLY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "OOM", "BUSY", "NOREPLICAS", "MISCONF",
        "UNBLOCKED",
    ]
}
