import CaptureModel
import CaptureQueue
import CaptureStore
import FilesystemBundleStore
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue

extension OperatorSession {
    /// Which installation the record is of.
    var installation: PostgresInstallation { PostgresInstallation(client: postgres) }

    /// How long the look before a command may take to connect, and then to be answered: commands that need no
    /// PostgreSQL shall not wait for one that is away.
    private static let glanceMax = Duration.seconds(1)

    /// The settings for that look.
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

    /// Refuses a queue or a bundle directory of another installation than the record's.
    ///
    /// What does not answer is held against nobody who only looks: a command that needs it meets that itself, and
    /// others go on. Who changes the queue asks once more, by ``requireOwnQueue()``.
    /// - Returns: Whether queue and record have answered.
    func requireOneInstallation() async throws -> Bool {
        guard let record = await recordedInstallation() else { return false }
        let (kept, hasAnswered) = await keptInstallation()
        if let kept, let objection = InstallationRecord.objection(to: kept, from: record) {
            throw QueueError(.refused, objection)
        }
        if let mark = await mark(), let objection = mark.objection(from: record) {
            throw CommandEnd.fault(of: "bundle directory", objection, isTransient: false)
        }
        return hasAnswered
    }

    /// Refuses to go on unless the queue is known to be no other installation's than the record's.
    ///
    /// A record that is too old to have an id has never been tied to anything.
    func requireOwnQueue() async throws(QueueError) {
        let record: InstallationID?
        do throws(StoreError) {
            record = try await installation.read()
        } catch {
            throw QueueError(
                error.isTransient ? .unavailable : .refused,
                """
                nothing is done to a queue of which nobody knows whose it is: PostgreSQL (\(servers.postgres)): \
                \(error.message); the queue's Redis
                """)
        }
        guard let record else { return }
        try await InstallationRecord.refuseOther(than: record, in: queue.keyspace, on: redis)
    }

    private func recordedInstallation() async -> InstallationID? {
        do throws(StoreError) { return try await PostgresInstallation(client: glance).read() } catch { return nil }
    }

    private func keptInstallation() async -> (kept: InstallationID?, hasAnswered: Bool) {
        do throws(QueueError) {
            return (try await InstallationRecord.read(queue.keyspace, on: redis), true)
        } catch {
            return (nil, false)
        }
    }

    private func mark() async -> BundleMark? {
        do throws(QueueError) { return try await files?.mark() } catch { return nil }
    }
}
