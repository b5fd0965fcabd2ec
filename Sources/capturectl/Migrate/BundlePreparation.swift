import CaptureModel
import CaptureQueue
import CaptureStore
import FilesystemBundleStore

/// Prepares the bundle directory once, and never an empty place where the prepared one should be mounted.
///
/// What is put into such a place is covered by the next mount, and what is asked of it counts as lost. So the record
/// notes that a directory was prepared, and whoever means another one has to say so.
struct BundlePreparation {
    let files: FilesystemBundleStore
    let store: any CaptureStore
    /// Whether a directory that was not prepared may take the place of the one that was.
    let mayBeNew: Bool

    private static let subject = "bundles.directory"
    private static let action = "bundles.prepare"

    /// Prepares it, or finds that it is.
    func run() async throws {
        let isPrepared: Bool
        do throws(QueueError) {
            isPrepared = try await files.isPrepared()
        } catch {
            throw Self.fault(error)
        }
        let earlier = try await store.auditTrail(of: Self.subject, limit: 1).first
        if !isPrepared, !mayBeNew, let earlier {
            throw CommandEnd.fault(
                of: "bundle directory",
                """
                \(files.path) is not the one that was prepared on \(earlier.at): is it mounted? --new-bundle-directory \
                prepares it all the same
                """, isTransient: true)
        }
        do throws(QueueError) {
            try await files.prepare()
        } catch {
            throw Self.fault(error)
        }
        guard !isPrepared || earlier == nil else { return }
        try await store.recordAudit(
            AuditEntry(
                at: Timestamp.systemTime(), actor: "capturectl migrate", action: Self.action, subject: Self.subject,
                details: ["path": files.path]))
    }

    private static func fault(_ error: QueueError) -> any Error {
        CommandEnd.fault(of: "bundle directory", error.message, isTransient: error.isTransient)
    }
}
