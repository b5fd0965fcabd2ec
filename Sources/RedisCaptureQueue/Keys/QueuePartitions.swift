import CaptureModel
package import CaptureQueue
package import RedisClient

/// The number of partitions of a queue, kept in partition 0, where any program finds it.
///
/// Programs that assume different numbers put a device into different lanes: its captures would be settled out of
/// order, and those in partitions unknown to the workers never.
package enum QueuePartitions {
    /// Where the queue keeps it.
    package static let field = LimitsField(name: "partitions", value: count) { kept, _, keyspace in
        objection(to: kept, from: keyspace)
    }

    /// Reads the number; a text that is no such number, as somebody has written it by hand, counts as not kept.
    private static func count(in text: String, of _: Keyspace) -> Int? { Int(text).flatMap { $0 >= 1 ? $0 : nil } }

    /// Refuses another number than the one that is kept, and has all partitions know it.
    ///
    /// Where none is kept, whoever starts asks ``requireLayout(_:on:)`` before.
    /// - Throws: `refused` for another number; waiting does not mend that.
    package static func require(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        try await field.require(keyspace.partitions, in: keyspace, on: client)
        try await tellOthers(keyspace, on: client)
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

    /// Why a queue with the kept number of partitions does not fit a keyspace; `nil` when it does.
    /// - Parameters:
    ///   - kept: How many partitions the queue has.
    ///   - keyspace: The keyspace that the program assumes.
    package static func objection(to kept: Int, from keyspace: Keyspace) -> String? {
        guard kept != keyspace.partitions else { return nil }
        return "queue.partitions is \(keyspace.partitions), and the queue \(keyspace.queue) has \(kept): "
            + "RUNBOOKS.md, \"Partitions\""
    }
}
