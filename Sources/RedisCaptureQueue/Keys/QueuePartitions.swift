import CaptureModel
package import CaptureQueue
package import RedisClient

/// The number of partitions of a queue, kept in partition 0, where any program finds it.
///
/// Programs that assume different numbers put a device into different lanes: its captures would be settled out of
/// order, and those in partitions unknown to the workers never.
package enum QueuePartitions {
    private static let field = LimitsField(name: "partitions")

    /// Keeps the number of partitions if none is kept, and returns the kept one.
    ///
    /// A full Redis cannot keep one: this is no error, so that the programs that empty it start.
    package static func keep(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Int {
        let kept = try await field.keep("\(keyspace.partitions)", in: keyspace, on: client)
        return count(in: kept) ?? keyspace.partitions
    }

    /// Reads the kept number; `nil` when none is kept.
    package static func read(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Int? {
        try await field.read(keyspace, on: client).flatMap { count(in: $0) }
    }

    /// Reads the number; a text that is no such number, as somebody has written it by hand, counts as not kept.
    private static func count(in text: String) -> Int? { Int(text).flatMap { $0 >= 1 ? $0 : nil } }

    /// Refuses another number than the one that is kept.
    ///
    /// - Throws: `refused` for another number; waiting does not mend that.
    package static func require(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        try await requireSame(keyspace, on: client)
        try await tellOthers(keyspace, on: client)
    }

    /// Refuses another number than the kept one, and does not write it to the other partitions.
    static func requireSame(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        let kept = try await keep(keyspace, on: client)
        if let objection = objection(to: kept, from: keyspace) { throw QueueError(.refused, objection) }
    }

    /// Writes the number to the other partitions, where the functions read it: they may still have an old one.
    private static func tellOthers(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        let commands = keyspace.all.dropFirst().map {
            RedisCommand("HSET", [.string($0.limits), .string(field.name), .integer(keyspace.partitions)])
        }
        for page in Array(commands).pages(of: RedisCaptureQueue.commandsMax) {
            let replies = try await client.replies(to: Array(page))
            // If a partition's server is full, a gateway writes it there later.
            _ = try replies.filter { $0.error?.prefix != "OOM" }.withoutErrors()
        }
    }

    /// Refuses another number than the one that is kept, and changes nothing.
    ///
    /// - Throws: `refused` for another number; waiting does not mend that.
    package static func refuseOther(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        guard let kept = try await read(keyspace, on: client) else { return }
        if let objection = objection(to: kept, from: keyspace) { throw QueueError(.refused, objection) }
    }

    /// Why a queue with the kept number of partitions does not fit a keyspace; `nil` when it does.
    /// - Parameters:
    ///   - kept: How many partitions the queue has.
    ///   - keyspace: The keyspace that the program assumes.
    package static func objection(to kept: Int, from keyspace: Keyspace) -> String? {
        guard kept != keyspace.partitions else { return nil }
        return "queue.partitions is \(keyspace.partitions), and the queue \(keyspace.queue) has \(kept): "
            + "README, \"Changing the number of partitions\""
    }
}
