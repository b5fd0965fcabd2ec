package import CaptureModel
package import CaptureQueue
package import RedisClient

/// The id of the installation that a queue belongs to, kept beside the number of partitions.
///
/// A worker with the queue of one installation and the record of another would find no device of any capture, and so
/// reject and remove them all.
package enum QueueInstallation {
    private static let field = LimitsField(name: "installation")

    /// Keeps the id if none is kept, and returns the kept one.
    ///
    /// A full Redis cannot keep one: this is no error, so that the programs that empty it start.
    package static func keep(
        _ installation: InstallationID, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) -> InstallationID {
        let kept = try await field.keep(installation.description, in: keyspace, on: client)
        return try id(kept, in: keyspace)
    }

    /// Reads the kept id; `nil` when none is kept.
    /// - Throws: `refused` also when the kept value is no id.
    package static func read(
        _ keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) -> InstallationID? {
        guard let text = try await field.read(keyspace, on: client) else { return nil }
        return try id(text, in: keyspace)
    }

    private static func id(_ text: String, in keyspace: Keyspace) throws(QueueError) -> InstallationID {
        guard let installation = InstallationID(text) else {
            throw QueueError(.refused, "the field \(field.name) of \(keyspace[0].limits) is no id")
        }
        return installation
    }

    /// Refuses a queue whose kept id is another one, and changes nothing.
    ///
    /// - Throws: `refused` for another id; waiting does not mend that.
    package static func refuseOther(
        than installation: InstallationID, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) {
        guard let kept = try await read(keyspace, on: client) else { return }
        if let objection = objection(to: kept, from: installation) { throw QueueError(.refused, objection) }
    }

    /// Whether programs have worked with the queue, including releases that keep no id.
    ///
    /// Each program notes the number of partitions when it starts, and accepted captures are counted.
    package static func isInUse(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Bool {
        if try await QueuePartitions.read(keyspace, on: client) != nil { return true }
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

    /// Refuses another id than the kept one, and keeps this one if there is none.
    ///
    /// - Throws: `refused` for another id; waiting does not mend that.
    package static func require(
        _ installation: InstallationID, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) {
        let kept = try await keep(installation, in: keyspace, on: client)
        if let objection = objection(to: kept, from: installation) { throw QueueError(.refused, objection) }
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
