import CaptureModel
import CaptureQueue
import FilesystemBundleStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Checks that captures whose bytes are kept in files have them: the queue itself only knows bytes in Redis.
struct FileCheck: Sendable {
    let session: OperatorSession
    /// Whether the record can be asked for results.
    let hasRecord: Bool

    private static let pageSize = 100

    /// Looks for the files of all waiting captures and dead letters, once ``directory()`` has found nothing wrong.
    /// - Parameters:
    ///   - progress: Called with the number of captures looked for so far.
    ///   - isStopped: Asked before each page.
    /// - Returns: `nil` if no bytes are kept in files, or if it was told to stop.
    func look(
        _ examination: QueueExamination, progress: (Int) -> Void, until isStopped: () -> Bool
    ) async throws -> DoctorCheck? {
        let captures = Array(examination.waiting) + Array(examination.failed)
        var (looked, inFiles) = (0, 0)
        var missing: [CaptureID] = []
        for page in captures.pages(of: Self.pageSize) {
            guard !isStopped() else { return nil }
            let stores = try await QueueDoctor(queue: session.queue).bundleStores(of: page)
            let here = page.filter { stores[$0] == .filesystem }
            inFiles += here.count
            if let files = session.files {
                do throws(QueueError) {
                    missing += try await files.missing(of: here)
                } catch {
                    return Self.fault(error)
                }
            }
            looked += page.count
            progress(looked)
        }
        guard session.files != nil else { return inFiles == 0 ? nil : Self.unknown(inFiles) }
        let lost = try await needed(missing)
        guard lost.isEmpty else {
            return .problem(
                DoctorReport.files, "\(TerminalText.count(lost.count, "capture")) without files",
                "photo or depth map of accepted captures are gone: they end as BUNDLE_MISSING",
                repair: "bring the files back; \(QueueFault.resend)",
                examples: lost.map(\.description))
        }
        let found = "\(TerminalText.count(inFiles, "capture")) in files, each has its own or needs none any more"
        return .ok(DoctorReport.files, found)
    }

    /// The line about a directory in which nothing can be looked for; `nil` if it can, or if there is none.
    func directory() async -> DoctorCheck? {
        guard let files = session.files else { return nil }
        do throws(QueueError) {
            // No program starts with a directory whose mark it cannot read.
            try await files.check()
            return nil
        } catch {
            return Self.fault(error)
        }
    }

    /// The captures that still need their files: they wait, or may be redriven.
    ///
    /// Files are removed once a capture is settled. A restored older queue does not know that, but the record does.
    /// Dead letters whose reason is that the bundle is missing are left out.
    private func needed(_ captures: [CaptureID]) async throws -> [CaptureID] {
        var needed: [CaptureID] = []
        for page in captures.pages(of: Self.pageSize) {
            var kept: [CaptureID] = []
            for (capture, status) in zip(page, try await session.queue.status(of: page)) {
                guard let status else { continue }
                let isGivenUp = status.state == .failed && status.reason != .bundleMissing
                if status.state.isWaiting || isGivenUp { kept.append(capture) }
            }
            let settled = try await hasRecord ? session.store.results(of: kept) : [:]
            needed += kept.filter { settled[$0] == nil }
        }
        return needed
    }

    private static func unknown(_ count: Int) -> DoctorCheck {
        .note(
            DoctorReport.files, "\(TerminalText.count(count, "capture")) in files, not looked at",
            "bundles.directory is not set here")
    }

    /// The line if the files cannot be looked for.
    private static func fault(_ error: QueueError) -> DoctorCheck {
        guard error.code != .refused else {
            return .note(
                DoctorReport.files, "not looked at: \(error.message)",
                "only the user whom gateways and workers run as may look; where this is that user, they do not start")
        }
        return .problem(
            DoctorReport.files, error.message, "uploads get 503, and workers put off what is in files",
            repair: """
                mount bundles.directory; if it is lost for good, put the backup there (RUNBOOKS.md, "Backup and \
                restore"). Without one, capturectl migrate --new-bundle-directory prepares an empty one: captures \
                whose files were in the old one end as BUNDLE_MISSING
                """)
    }
}
