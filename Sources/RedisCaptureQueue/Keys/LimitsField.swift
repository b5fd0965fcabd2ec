package import CaptureQueue
package import RedisClient

/// A value about the whole queue, kept in partition 0's limits.
///
/// A program finds it there whatever number of partitions it assumes.
package struct LimitsField<Value: Sendable>: Sendable {
    let name: String
    /// Reads a kept text; `nil` for one that counts as not kept.
    let value: @Sendable (_ text: String, _ keyspace: Keyspace) throws(QueueError) -> Value?
    /// Why a kept value does not go with a program's own; `nil` when it does.
    let objection: @Sendable (_ kept: Value, _ own: Value, _ keyspace: Keyspace) -> String?

    /// Keeps a value if none is kept, and returns the kept one.
    ///
    /// A full Redis cannot keep one: this is no error, so that the programs that empty it start.
    package func keep(
        _ own: Value, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) -> Value {
        if let kept = try await read(keyspace, on: client) { return kept }
        let command = RedisCommand("HSETNX", [.string(keyspace[0].limits), .string(name), .string("\(own)")])
        let replies = try await client.replies(to: [command])
        if replies.first?.error?.prefix == "OOM" { return own }
        _ = try replies.withoutErrors()
        // Another program may have been first.
        return try await read(keyspace, on: client) ?? own
    }

    /// Reads the kept value; `nil` when none is kept.
    package func read(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Value? {
        let command = RedisCommand("HGET", [.string(keyspace[0].limits), .string(name)])
        guard let kept = try await client.replies(to: [command]).withoutErrors().first, !kept.isNull else { return nil }
        // A reply that is no word of ours is not taken for a missing one.
        return try value(kept.string ?? "", keyspace)
    }

    /// Refuses another value than the kept one, and keeps this one if there is none.
    ///
    /// - Throws: `refused` for another value; waiting does not mend that.
    package func require(_ own: Value, in keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        let kept = try await keep(own, in: keyspace, on: client)
        if let objection = objection(kept, own, keyspace) { throw QueueError(.refused, objection) }
    }

    /// Refuses another value than the one that is kept, and changes nothing.
    ///
    /// - Throws: `refused` for another value; waiting does not mend that.
    package func refuseOther(
        than own: Value, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) {
        guard let kept = try await read(keyspace, on: client) else { return }
        if let objection = objection(kept, own, keyspace) { throw QueueError(.refused, objection) }
    }
}
