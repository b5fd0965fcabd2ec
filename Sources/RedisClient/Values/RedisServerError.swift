/// An error reply of the server: `-PREFIX what it says`.
package struct RedisServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line without the leading `-`, and without a command's arguments.
    package let message: String

    /// Keeps an error line.
    ///
    /// For an unknown command Redis quotes the arguments (`src/server.c`, `processCommand`), which may be secret; they
    /// are cut off.
    package init(_ message: String) {
        let arguments = message.firstRange(of: ", with args beginning with")
        self.message = arguments.map { String(message[..<$0.lowerBound]) } ?? message
    }

    /// The first word of the line: `ERR`, `NOGROUP`, `OOM`, `MOVED`, or one that a Lua function chose.
    package var prefix: String {
        String(message.prefix { $0 != " " })
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
