import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FilesystemBundleStore
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue

extension OperatorSession {
    /// The installation of the record.
    var installation: PostgresInstallation { PostgresInstallation(client: postgres) }

    /// How long the check before a command may take to connect, and then to be answered.
    ///
    /// Commands that need no PostgreSQL shall not wait for one that is away.
    private static let glanceMax = Duration.seconds(1)

    /// The connection settings for that check.
    static func hasty(_ patient: PostgresConfiguration) -> PostgresConfiguration {
        var hasty = patient
        hasty.connectionsMax = 1
        hasty.connectTimeout = min(patient.connectTimeout, glanceMax)
        hasty.acquireTimeout = min(patient.acquireTimeout, glanceMax)
        hasty.statementTimeout = min(patient.statementTimeout, glanceMax / 2)
        hasty.lockTimeout = min(patient.lockTimeout, glanceMax / 2)
        hasty.answerGrace = glanceMax / 2
        return hasty
    }

    /// Refuses a queue or bundle directory of another installation than the record's, or another number of partitions.
    ///
    /// A server that does not answer, or refuses, is passed over: a command that needs it meets the fault itself, and
    /// others go on, as what they show may be all that is left. Commands that change the queue ask again then, by
    /// ``ownQueue()``.
    /// - Returns: Whether queue and record are known to belong to one installation, and the queue to have kept the
    ///   configured partitions.
    func requireOneInstallation() async throws -> Bool {
        let kept = await keptByQueue()
        if let partitions = kept.partitions,
            let objection = QueuePartitions.objection(to: partitions, from: queue.keyspace)
        {
            throw QueueError(.refused, objection)
        }
        guard let record = await recordedInstallation() else { return false }
        installation.require(record)
        if let owner = kept.installation,
            let objection = QueueInstallation.objection(to: owner, from: record)
        {
            throw QueueError(.refused, objection)
        }
        if let mark = await mark(), let objection = mark.objection(from: record) {
            throw CommandFault(of: "bundle directory", objection, isTransient: false)
        }
        return kept.installation != nil && kept.partitions != nil
    }

    /// Requires that the queue is known to belong to the record's installation, and is laid out in the configured
    /// partitions.
    ///
    /// A record that is too old to have an id was never tied to a queue. A Redis without the id may be the wrong one:
    /// running programs put theirs back at once.
    func requireOwnQueue() async throws {
        let record: InstallationID?
        do throws(StoreError) {
            record = try await installation.read()
        } catch {
            throw CommandFault(
                record: error, settings, consequence: "nothing is done to a queue of which it does not say whose it is")
        }
        try await QueuePartitions.field.refuseOther(than: queue.keyspace.partitions, in: queue.keyspace, on: redis)
        try await QueuePartitions.requireLayout(queue.keyspace, on: redis)
        guard let record else { return }
        installation.require(record)
        guard let kept = try await QueueInstallation.field.read(queue.keyspace, on: redis) else {
            throw QueueError(.unavailable, "tied to no installation: capturectl migrate, or redis.url leads elsewhere")
        }
        guard let objection = QueueInstallation.objection(to: kept, from: record) else { return }
        throw QueueError(.refused, objection)
    }

    /// Requires the schema that gateways and workers require at their start, with their error; commands that change the
    /// record ask first.
    ///
    /// A newer release's schema is fine: whoever goes back to an older release has its `capturectl`, too.
    func requireSchema() async throws(StoreError) {
        try await Migrator(client: postgres).requireCurrent()
    }

    /// The pause of the queue; `nil` where Redis tells of none.
    func notedPause() async -> NotedPause? {
        NotedPause(kept: await keptPause(), trail: await queueTrail())
    }

    private func keptPause() async -> Set<Timestamp> {
        do throws(QueueError) { return try await queue.pausedSince() } catch { return [] }
    }

    /// What was done to the queue, latest first; `nil` if the audit does not answer at once, or may be another queue's.
    private func queueTrail() async -> [AuditEntry]? {
        guard let record = await recordedInstallation(), await keptByQueue().installation == record else { return nil }
        do throws(StoreError) {
            return try await PostgresCaptureStore(client: glance).auditTrail(
                of: QueueActions.queueSubject, limit: NotedPause.entriesMax)
        } catch {
            return nil
        }
    }

    private func recordedInstallation() async -> InstallationID? {
        do throws(StoreError) { return try await PostgresInstallation(client: glance).read() } catch { return nil }
    }

    /// The partitions and installation that the queue's keys name; `nil` if it does not answer, or they cannot be read.
    private func keptByQueue() async -> (partitions: Int?, installation: InstallationID?) {
        var partitions: Int?
        do throws(QueueError) {
            partitions = try await QueuePartitions.field.read(queue.keyspace, on: redis)
            return (partitions, try await QueueInstallation.field.read(queue.keyspace, on: redis))
        } catch {
            return (partitions, nil)
        }
    }

    private func mark() async -> BundleMark? {
        do throws(QueueError) { return try await files?.mark() } catch { return nil }
    }
}
