import CaptureModel
import CaptureQueue
import FilesystemBundleStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Looks for the files of captures whose bytes are in files: the queue itself knows only of bytes in Redis.
struct FileCheck: Sendable {
    let session: OperatorSession
    /// Whether the record can be asked for results.
    let hasRecord: Bool

    private static let pageSize = 100

    /// Looks for those of everything that waits or was given up.
    /// - Parameter progress: Is told how many captures were looked for.
    /// - Returns: `nil` where nothing is kept in files.
    func look(
        _ examination: QueueExamination, progress: (Int) -> Void
    ) async throws -> DoctorCheck? {
        if let files = session.files {
            do throws(QueueError) {
                try await files.check()
                // It is there by now, and no program starts with one that it cannot read.
                _ = try await files.mark()
            } catch {
                return Self.fault(error)
            }
        }
        let captures = Array(examination.waiting) + Array(examination.failed)
        var (looked, inFiles) = (0, 0)
        var missing: [CaptureID] = []
        for page in captures.pages(of: Self.pageSize) {
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

    /// Those of some captures that are to be worked yet, or that somebody may put back.
    ///
    /// Files go when the capture has been settled, which an older queue that was brought back does not know: the record
    /// does. A dead letter that says itself that its bytes are gone is no news.
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

    /// Why nothing can be looked for.
    private static func fault(_ error: QueueError) -> DoctorCheck {
        guard error.code != .refused else {
            return .note(
                DoctorReport.files, "not looked at: \(error.message)",
                "only the user whom gateways and workers run as may look; where this is that user, they do not start")
        }
        return .problem(
            DoctorReport.files, error.message, "uploads get 503, and workers put off what is in files",
            repair: "mount bundles.directory; a new one is prepared by capturectl migrate")
    }
}
