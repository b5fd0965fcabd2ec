import CaptureModel
import CaptureQueue
import CaptureStore
import FilesystemBundleStore
import PostgresCaptureStore
import RedisCaptureQueue

extension OperatorSession {
    /// Which installation the record is of.
    var installation: PostgresInstallation { PostgresInstallation(client: postgres) }

    /// Refuses a queue or a bundle directory of another installation than the record's.
    ///
    /// What does not answer is held against nobody: a command that needs it meets that itself, and others go on.
    func requireOneInstallation() async throws {
        guard let record = await recordedInstallation() else { return }
        let kept: InstallationID? = await answer { () async throws(QueueError) in
            try await InstallationRecord.read(queue.keyspace, on: redis)
        }
        if let kept, let objection = InstallationRecord.objection(to: kept, from: record) {
            throw QueueError(.refused, objection)
        }
        guard let files else { return }
        let mark: BundleMark? = await answer { () async throws(QueueError) in try await files.mark() }
        if let mark, let objection = mark.objection(from: record) {
            throw CommandEnd.fault(of: "bundle directory", objection, isTransient: false)
        }
    }

    private func recordedInstallation() async -> InstallationID? {
        do throws(StoreError) { return try await installation.read() } catch { return nil }
    }

    private func answer<Value>(_ ask: () async throws(QueueError) -> Value?) async -> Value? {
        do throws(QueueError) { return try await ask() } catch { return nil }
    }
}
