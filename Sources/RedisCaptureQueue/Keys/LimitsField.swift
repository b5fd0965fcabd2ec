import CaptureQueue
import RedisClient

/// A fact of a whole queue, beside the limits of partition 0: it is found there whatever a program believes.
struct LimitsField: Sendable {
    let name: String

    /// Keeps a value where none is kept, and tells the one that is.
    ///
    /// A Redis that is full takes none: the programs that empty it start all the same.
    func keep(_ value: String, in keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> String {
        if let kept = try await read(keyspace, on: client) { return kept }
        let command = RedisCommand("HSETNX", [.string(keyspace[0].limits), .string(name), .string(value)])
        let replies = try await client.replies(to: [command])
        if replies.first?.error?.prefix == "OOM" { return value }
        _ = try replies.withoutErrors()
        // Another program may have been first.
        return try await read(keyspace, on: client) ?? value
    }

    /// Tells the value that is kept; `nil` where none is.
    func read(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> String? {
        let command = RedisCommand("HGET", [.string(keyspace[0].limits), .string(name)])
        return try await client.replies(to: [command]).withoutErrors().first?.string
    }
}
