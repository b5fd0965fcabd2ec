import CaptureModel
import CaptureQueue
import CaptureStore
import FilesystemBundleStore

/// Prepares the bundle directory once, writes whose it is, and never takes an empty place, or another's, for it.
///
/// What is put into an empty place where the prepared one should be mounted is covered by the next mount, and what is
/// asked of it counts as lost. So the record notes that a directory was prepared, and whoever means another one has to
/// say so. What is in another installation's directory the workers here would remove: no option says that it is meant.
struct BundlePreparation {
    let files: FilesystemBundleStore
    let store: any CaptureStore
    /// Whether a directory that was not prepared may take the place of the one that was.
    let mayBeNew: Bool
    /// Who does it, for the audit.
    let actor: String

    private static let subject = "bundles.directory"

    /// Prepares it, or finds that it is; a mark of an older release comes to say whose it is.
    func run(for installation: InstallationID) async throws {
        let mark = try await mark()
        let earlier = try await store.auditTrail(of: Self.subject, limit: 1).first
        if !mayBeNew { try require(mark, after: earlier) }
        do throws(QueueError) {
            try await files.prepare(for: installation)
        } catch {
            throw Self.fault(error)
        }
        guard mark != BundleMark.of(installation) || earlier == nil else { return }
        try await store.recordAudit(
            AuditEntry(
                at: Timestamp.systemTime(), actor: actor,
                action: mark == BundleMark.unowned ? AuditAction.bundlesAdopt : .bundlesPrepare, subject: Self.subject,
                details: ["path": files.path]))
    }

    /// Refuses a directory that somebody has prepared.
    func requireUnused() async throws {
        guard try await mark() != nil else { return }
        throw CommandEnd.fault(
            of: "bundle directory",
            "\(files.path) was prepared before: a copied database takes a directory of its own, which is empty yet",
            isTransient: false)
    }

    /// Refuses what this record has not prepared, as far as anybody can tell.
    private func require(_ mark: BundleMark?, after earlier: AuditEntry?) throws {
        if mark == nil, let earlier {
            throw CommandEnd.fault(
                of: "bundle directory",
                """
                \(files.path) is not the one that was prepared on \(earlier.at): is it mounted? --new-bundle-directory \
                prepares it all the same
                """, isTransient: true)
        }
        if mark == BundleMark.unowned, earlier == nil {
            throw CommandEnd.fault(
                of: "bundle directory",
                """
                \(files.path) was prepared, not by this record, and does not say by whom. If nobody else uses it, \
                --new-bundle-directory takes it
                """, isTransient: false)
        }
    }

    private func mark() async throws -> BundleMark? {
        do throws(QueueError) {
            return try await files.mark()
        } catch {
            throw Self.fault(error)
        }
    }

    private static func fault(_ error: QueueError) -> any Error {
        CommandEnd.fault(of: "bundle directory", error.message, isTransient: error.isTransient)
    }
}
