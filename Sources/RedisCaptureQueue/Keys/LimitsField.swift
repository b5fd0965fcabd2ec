import CaptureQueue
import RedisClient

/// A value about the whole queue, kept in partition 0's limits.
///
/// A program finds it there whatever number of partitions it assumes.
struct LimitsField: Sendable {
    let name: String

    /// Keeps a value if none is kept, and returns the kept one.
    ///
    /// A full Redis cannot keep one: this is no error, so that the programs that empty it start.
    func keep(_ value: String, in keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> String {
        if let kept = try await read(keyspace, on: client) { return kept }
        let command = RedisCommand("HSETNX", [.string(keyspace[0].limits), .string(name), .string(value)])
        let replies = try await client.replies(to: [command])
        if replies.first?.error?.prefix == "OOM" { return value }
        _ = try replies.withoutErrors()
        // Another program may have been first.
        return try await read(keyspace, on: client) ?? value
    }

    /// Reads the kept value; `nil` when none is kept, and empty when it is no word of ours.
    func read(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> String? {
        let command = RedisCommand("HGET", [.string(keyspace[0].limits), .string(name)])
        guard let kept = try await client.replies(to: [command]).withoutErrors().first, !kept.isNull else { return nil }
        return kept.string ?? ""
    }
}
