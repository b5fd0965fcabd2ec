import CaptureModel
import CaptureQueue
import CaptureStore
import FilesystemBundleStore

/// Prepares the bundle directory once and marks its owner; refuses an empty place, or another installation's directory.
///
/// If the file system is not mounted, files put into the empty place are hidden by the next mount, and captures looked
/// up there count as lost. So the record notes that a directory was prepared, and an operator who means another one has
/// to say so. No option allows another installation's directory, as the workers here would remove its contents.
struct BundlePreparation {
    let files: FilesystemBundleStore
    let store: any CaptureStore
    /// Whether an unprepared directory may replace the prepared one.
    let mayBeNew: Bool
    /// The actor for the audit.
    let actor: String

    private static let subject = "bundles.directory"

    /// Prepares the directory, unless it is prepared.
    func run(for installation: InstallationID) async throws {
        let mark = try await files.mark()
        let earlier = try await store.auditTrail(of: Self.subject, limit: 1).first
        if !mayBeNew, mark == nil { try await requireNew(after: earlier) }
        try await files.prepare(for: installation)
        guard mark != BundleMark.of(installation) || earlier == nil else { return }
        try await store.recordAudit(
            AuditEntry(
                at: Timestamp.systemTime(), actor: actor, action: .bundlesPrepare, subject: Self.subject,
                details: ["path": files.path]))
    }

    /// Refuses a directory that was prepared by anybody, even if its mark does not say by whom.
    func requireUnused() async throws {
        guard try await files.hasMark() else { return }
        throw CommandFault(
            of: "bundle directory",
            "\(files.path) was prepared before: a copied database takes a directory of its own, which is empty yet",
            isTransient: false)
    }

    /// Refuses a directory without a mark if the record had one prepared, and one whose mark is empty.
    private func requireNew(after earlier: AuditEntry?) async throws {
        if try await files.hasMark() {
            throw CommandFault(
                of: "bundle directory",
                """
                the mark of \(files.path) is empty, so nobody knows whose it is: --new-bundle-directory makes it this \
                installation's, whose workers delete the bytes of captures that are not theirs
                """, isTransient: false)
        }
        if let earlier {
            throw CommandFault(
                of: "bundle directory",
                """
                \(files.path) is not the one that was prepared on \(earlier.at): is it mounted? --new-bundle-directory \
                prepares it all the same
                """, isTransient: true)
        }
    }
}
