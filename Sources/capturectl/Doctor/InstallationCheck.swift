import CaptureModel
import CaptureQueue
import FilesystemBundleStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Checks that the queue, the record and the bundle directory belong to one installation.
struct InstallationCheck: Sendable {
    let session: OperatorSession

    private static let meaning =
        "captures of one would be judged by the record of the other, and removed as nobody's with their bytes"
    private static let repair =
        "set redis.url, postgres.url and bundles.directory to those of one; --fix repairs nothing before; "
        + "README, \"What belongs together\""

    /// Checks all three.
    func look() async throws -> DoctorCheck {
        guard let record = try await session.installation.read() else {
            return .notLookedAt(DoctorReport.installation, "this needs the schema of this release")
        }
        // What --fix does is done to this record.
        session.installation.require(record)
        let keyspace = session.queue.keyspace
        let kept: InstallationID?
        do throws(QueueError) {
            kept = try await QueueInstallation.field.read(keyspace, on: session.redis)
        } catch {
            guard error.isOfDamagedKey else { throw error }
            return .damagedLimits(DoctorReport.installation, keyspace[0].limits)
        }
        if let kept, let objection = QueueInstallation.objection(to: kept, from: record) {
            return .problem(DoctorReport.installation, objection, Self.meaning, repair: Self.repair)
        }
        if let objection = await mark()?.objection(from: record) {
            return .problem(DoctorReport.installation, objection, Self.meaning, repair: Self.repair)
        }
        return .ok(DoctorReport.installation, kept == nil ? "\(record), not in Redis yet" : "\(record)")
    }

    /// The directory's mark; a missing or unreadable one is reported with the files.
    private func mark() async -> BundleMark? {
        do throws(QueueError) { return try await session.files?.mark() } catch { return nil }
    }
}
