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
    /// What is in files; `nil` where nothing is.
    let bundles: BundlePreparation?
    /// Who does it, for the audit.
    let actor: String

    /// Gives a copied database an id of its own.
    ///
    /// Refused while what is configured here belongs to anybody: the programs of copy and original would work on one
    /// queue, or in one directory. A queue that an older release works with says only that it is used, not by whom.
    func renew() async throws {
        let own = try await record.require()
        if let kept = try await QueueInstallation.read(keyspace, on: redis) {
            throw CommandEnd.fault(
                of: "Redis",
                "it is the queue of the installation \(kept): a copied database takes an empty Redis of its own",
                isTransient: false)
        }
        if try await QueueInstallation.isInUse(keyspace, on: redis) {
            throw CommandEnd.fault(
                of: "Redis",
                "programs have worked with the queue that is in it: a copied database takes an empty Redis of its own",
                isTransient: false)
        }
        try await bundles?.requireUnused()
        _ = try await record.renew(own, by: actor)
    }

    /// Writes the record's id into Redis, unless it is there, and refuses a Redis that has another one.
    /// - Returns: The id, and how many captures a Redis held that had none: whoever means another one learns it here.
    func tieQueue() async throws -> (installation: InstallationID, adopted: Int) {
        let own = try await record.require()
        let isTied = try await QueueInstallation.read(keyspace, on: redis) != nil
        let adopted = try await isTied ? 0 : QueueInstallation.captures(keyspace, on: redis)
        try await QueueInstallation.require(own, in: keyspace, on: redis)
        return (own, adopted)
    }
}
