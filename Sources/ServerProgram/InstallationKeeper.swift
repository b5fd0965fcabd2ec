import CaptureModel
import CaptureQueue
import Logging
import Observability
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient

/// Keeps in Redis what must be there while a program runs: the installation's id, the number of partitions and the
/// functions.
///
/// It looks again and again: Redis may lose its data, or `redis.url` may lead to another server. So may `postgres.url`:
/// the record's clients refuse another installation's database by themselves, and are asked here whether one has.
struct InstallationKeeper: Sendable {
    /// What Redis refuses; the beginning and the end of each are logged.
    private struct Refusals {
        /// To tell whose it is.
        var identity = Episode()
        /// To keep the function library.
        var library = Episode()
    }

    let redis: RedisClient
    let keyspace: Keyspace
    /// The record, by each client that the program has of it.
    let records: [PostgresInstallation]
    let logger: Logger

    /// The pause between two looks whether Redis has the id; for that long another program could set its own.
    static let pause = Duration.seconds(2)

    /// Looks until it is cancelled.
    /// - Throws: `refused` when Redis or PostgreSQL has come to belong to another installation, or the queue to have other
    ///   partitions.
    func keep(_ installation: InstallationID) async throws(QueueError) {
        var refusals = Refusals()
        try await again(after: Self.pause) { () async throws(QueueError) in
            // First: Redis may be away.
            try refuseOtherRecord(than: installation)
            try await keepOnce(installation, &refusals)
        }
    }

    /// Ends the program once a session has been with another installation's record.
    private func refuseOtherRecord(than installation: InstallationID) throws(QueueError) {
        guard let other = records.compactMap(\.other).first,
            let objection = QueueInstallation.objection(to: installation, from: other)
        else { return }
        logger.critical("PostgreSQL has come to belong to another installation", metadata: ["fault": "\(objection)"])
        throw QueueError(.refused, objection)
    }

    /// Puts the id and the number of partitions back where they are missing, and replaces older functions.
    private func keepOnce(_ installation: InstallationID, _ refusals: inout Refusals) async throws(QueueError) {
        let kept: InstallationID
        let partitions: Int
        do throws(QueueError) {
            kept = try await QueueInstallation.field.keep(installation, in: keyspace, on: redis)
            // Nothing is written to another installation's Redis.
            let isOurs = kept == installation
            let own = keyspace.partitions
            partitions = isOurs ? try await QueuePartitions.field.keep(own, in: keyspace, on: redis) : own
        } catch {
            // That Redis is away is reported by the code that works with it.
            guard error.code == .refused, refusals.identity.begin() else { return }
            return logger.error("Redis cannot be asked whose it is", metadata: ["fault": "\(error)"])
        }
        if refusals.identity.end() { logger.notice("Redis can be asked again whose it is") }
        if let objection = QueueInstallation.objection(to: kept, from: installation) {
            logger.critical("Redis has come to belong to another installation", metadata: ["fault": "\(objection)"])
            throw QueueError(.refused, objection)
        }
        if let objection = QueuePartitions.objection(to: partitions, from: keyspace) {
            logger.critical("the queue has come to have other partitions", metadata: ["fault": "\(objection)"])
            throw QueueError(.refused, objection)
        }
        do throws(QueueError) {
            try await keepFunctions()
        } catch {
            guard error.code == .refused, refusals.library.begin() else { return }
            return logger.error("the function library cannot be kept", metadata: ["fault": "\(error)"])
        }
        if refusals.library.end() { logger.notice("the function library is kept again") }
    }

    /// Replaces an older function library.
    ///
    /// An older program that started at the same moment may have loaded it over this one, or a full Redis has kept it.
    private func keepFunctions() async throws(QueueError) {
        guard case .loaded(let replaced?) = try await FunctionLibrary.current.keep(on: redis) else { return }
        logger.warning(
            "an older function library was there and has been replaced",
            metadata: ["version": "\(replaced)"])
    }
}
