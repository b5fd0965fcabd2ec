import CaptureModel
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient

/// Ties the queue in Redis and the bundle directory to the record, by the id of its installation.
struct InstallationTie {
    let record: PostgresInstallation
    let redis: RedisClient
    let keyspace: Keyspace
    /// The bundle directory's preparation; `nil` if no bytes are kept in files.
    let bundles: BundlePreparation?
    /// The actor for the audit.
    let actor: String

    /// Refuses a queue of another installation than the record's, and changes nothing.
    ///
    /// A record or queue that does not say whose it is is passed over, and so is a Redis that does not answer.
    /// - Throws: The queue's fault if it is another's, or Redis refuses to tell; the record's fault.
    func refuseOthers() async throws {
        guard let own = try await record.read() else { return }
        let kept: InstallationID?
        do throws(QueueError) {
            kept = try await QueueInstallation.field.read(keyspace, on: redis)
        } catch {
            // Redis need not answer yet: ``tieQueue()`` asks again once the schema is there. What it refuses now it
            // refuses then, too, and the schema may be another's.
            guard error.code != .refused else { throw error }
            return
        }
        guard let kept, let objection = QueueInstallation.objection(to: kept, from: own) else { return }
        throw QueueError(.refused, objection)
    }

    /// Gives a copied database an id of its own, if ``requireUnused()`` allows it.
    func renew() async throws {
        let own = try await record.require()
        try await requireUnused()
        _ = try await record.renew(own, by: actor)
    }

    /// Refuses a queue or directory that belongs to anybody: a copy and its original would share it.
    ///
    /// A queue that has lost its limits tells only that it is in use, not by whom.
    func requireUnused() async throws {
        if let kept = try await QueueInstallation.field.read(keyspace, on: redis) {
            throw CommandFault(
                of: "Redis",
                "it is the queue of the installation \(kept): a copied database takes an empty Redis of its own",
                isTransient: false)
        }
        if try await QueueInstallation.isInUse(keyspace, on: redis) {
            throw CommandFault(
                of: "Redis",
                "programs have worked with the queue that is in it: a copied database takes an empty Redis of its own",
                isTransient: false)
        }
        try await bundles?.requireUnused()
    }

    /// Writes the record's id into Redis, unless it is there; refuses a Redis that has another one.
    /// - Returns: The id, and how many captures were in a Redis without an id, which tells an operator of a wrong one.
    func tieQueue() async throws -> (installation: InstallationID, adopted: Int) {
        let own = try await record.require()
        let isTied = try await QueueInstallation.field.read(keyspace, on: redis) != nil
        let adopted = try await isTied ? 0 : QueueInstallation.captures(keyspace, on: redis)
        try await QueueInstallation.field.require(own, in: keyspace, on: redis)
        return (own, adopted)
    }
}
