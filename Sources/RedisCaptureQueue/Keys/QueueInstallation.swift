package import CaptureModel
package import CaptureQueue
package import RedisClient

/// The id of the installation that a queue belongs to, kept beside the number of partitions.
///
/// A worker with the queue of one installation and the record of another would find no device of any capture, and so
/// reject and remove them all.
package enum QueueInstallation {
    /// Where the queue keeps it; a kept text that is no id is `refused`.
    package static let field = LimitsField(name: "installation", value: id) { kept, own, _ in
        objection(to: kept, from: own)
    }

    private static func id(_ text: String, in keyspace: Keyspace) throws(QueueError) -> InstallationID? {
        guard let installation = InstallationID(text) else {
            throw QueueError(.refused, "the field installation of \(keyspace[0].limits) is no id")
        }
        return installation
    }

    /// Whether programs have worked with the queue, whose limits may have been lost since.
    ///
    /// Each program notes the number of partitions when it starts, and accepted captures are counted.
    package static func isInUse(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Bool {
        if try await QueuePartitions.field.read(keyspace, on: client) != nil { return true }
        let commands = keyspace.all.map { RedisCommand("EXISTS", [.string($0.stats)]) }
        return try await client.replies(to: commands).withoutErrors().contains { $0.int == 1 }
    }

    /// How many captures the queue holds, dead letters included; read without functions, which may not be loaded yet.
    package static func captures(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Int {
        let commands = keyspace.all.flatMap { keys in
            [RedisCommand("HGET", [.string(keys.stats), "queued"]), RedisCommand("ZCARD", [.string(keys.dead)])]
        }
        let replies = try await client.replies(to: commands).withoutErrors()
        return replies.reduce(0) { $0.addingClamped($1.int ?? 0) }
    }

    /// Why a queue does not belong to the same installation as a record; `nil` when it does.
    /// - Parameters:
    ///   - kept: The queue's installation.
    ///   - record: The record's installation.
    package static func objection(to kept: InstallationID, from record: InstallationID) -> String? {
        guard kept != record else { return nil }
        return "redis.url is the queue of the installation \(kept), and postgres.url the record of \(record): "
            + "README, \"What belongs together\""
    }
}
