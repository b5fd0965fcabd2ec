import CaptureModel
package import CaptureQueue
package import RedisClient

/// How many partitions a queue was laid out in, kept where it is found whatever a program believes: in partition 0.
///
/// Programs that count partitions differently put a device into different lanes: its captures would be settled out of
/// order, and those in partitions that no worker knows never.
package enum QueuePartitions {
    private static let field = LimitsField(name: "partitions")

    /// Keeps the number of partitions where none is kept, and tells the one that is.
    ///
    /// A Redis that is full takes none: the programs that empty it start all the same.
    package static func keep(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Int {
        let kept = try await field.keep("\(keyspace.partitions)", in: keyspace, on: client)
        return Int(kept) ?? keyspace.partitions
    }

    /// Tells the number that is kept; `nil` where none is.
    package static func read(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Int? {
        try await field.read(keyspace, on: client).flatMap { Int($0) }
    }

    /// Refuses another number than the one that is kept.
    ///
    /// - Throws: `refused` for another number; waiting does not mend that.
    package static func require(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        try await requireSame(keyspace, on: client)
        try await tellOthers(keyspace, on: client)
    }

    /// The same, and the other partitions are told nothing.
    static func requireSame(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        let kept = try await keep(keyspace, on: client)
        if let objection = objection(to: kept, from: keyspace) { throw QueueError(.refused, objection) }
    }

    /// Tells the other partitions, in which the functions look for it: they may have another number from before.
    private static func tellOthers(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        let commands = keyspace.all.dropFirst().map {
            RedisCommand("HSET", [.string($0.limits), .string(field.name), .integer(keyspace.partitions)])
        }
        for page in Array(commands).pages(of: RedisCaptureQueue.commandsMax) {
            let replies = try await client.replies(to: Array(page))
            // One that is full is told by a gateway when it is not any more.
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

    /// Why a queue of so many partitions is not for whoever counts them like this; `nil` where it is.
    /// - Parameters:
    ///   - kept: How many the queue has.
    ///   - keyspace: The names of its keys, as they are believed to be.
    package static func objection(to kept: Int, from keyspace: Keyspace) -> String? {
        guard kept != keyspace.partitions else { return nil }
        return "queue.partitions is \(keyspace.partitions), and the queue \(keyspace.queue) has \(kept): "
            + "README, \"Changing the number of partitions\""
    }
}
