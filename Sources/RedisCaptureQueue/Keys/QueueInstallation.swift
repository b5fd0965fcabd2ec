package import CaptureModel
package import CaptureQueue
package import RedisClient

/// Which installation a queue belongs to, kept beside the number of partitions.
///
/// A worker that has the queue of one installation and the record of another would find no device of any capture, and
/// remove them all with that verdict.
package enum QueueInstallation {
    private static let field = LimitsField(name: "installation")

    /// Keeps the id where none is kept, and tells the one that is.
    ///
    /// A Redis that is full takes none: the programs that empty it start all the same.
    package static func keep(
        _ installation: InstallationID, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) -> InstallationID {
        let kept = try await field.keep(installation.description, in: keyspace, on: client)
        return try id(kept, in: keyspace)
    }

    /// Tells the id that is kept; `nil` where none is.
    /// - Throws: `refused` also for what is no id.
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

    /// Refuses a queue that another id is kept for, and changes nothing.
    ///
    /// - Throws: `refused` for another id; waiting does not mend that.
    package static func refuseOther(
        than installation: InstallationID, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) {
        guard let kept = try await read(keyspace, on: client) else { return }
        if let objection = objection(to: kept, from: installation) { throw QueueError(.refused, objection) }
    }

    /// Whether programs have worked with the queue, also those of releases that keep no id.
    ///
    /// Each notes the number of partitions when it starts, and what is accepted is counted.
    package static func isInUse(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Bool {
        if try await QueuePartitions.read(keyspace, on: client) != nil { return true }
        let commands = keyspace.all.map { RedisCommand("EXISTS", [.string($0.stats)]) }
        return try await client.replies(to: commands).withoutErrors().contains { $0.int == 1 }
    }

    /// How many captures the queue holds, dead letters among them; asked without functions, which may not be there yet.
    package static func captures(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) -> Int {
        let commands = keyspace.all.flatMap { keys in
            [RedisCommand("HGET", [.string(keys.stats), "queued"]), RedisCommand("ZCARD", [.string(keys.dead)])]
        }
        let replies = try await client.replies(to: commands).withoutErrors()
        return replies.reduce(0) { $0.addingClamped($1.int ?? 0) }
    }

    /// Refuses another id than the one that is kept, and keeps this one where there is none.
    ///
    /// - Throws: `refused` for another id; waiting does not mend that.
    package static func require(
        _ installation: InstallationID, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) {
        let kept = try await keep(installation, in: keyspace, on: client)
        if let objection = objection(to: kept, from: installation) { throw QueueError(.refused, objection) }
    }

    /// Why a queue that belongs to an installation is not for a record; `nil` where it is.
    /// - Parameters:
    ///   - kept: Whose the queue is.
    ///   - record: Whose the record is.
    package static func objection(to kept: InstallationID, from record: InstallationID) -> String? {
        guard kept != record else { return nil }
        return "redis.url is the queue of the installation \(kept), and postgres.url the record of \(record): "
            + "README, \"What belongs together\""
    }
}
