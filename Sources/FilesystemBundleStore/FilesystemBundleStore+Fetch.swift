package import CaptureModel
package import CaptureQueue

/// Reads captures, and tells a capture's fault from the storage's.
extension FilesystemBundleStore {
    /// Reads captures' files, as many captures at once as there are threads.
    ///
    /// A read that fails, or begins and does not end in time, is tried again; the second one waits for one that hangs.
    /// If both fail and the disk has answered after each of them, it is that capture's fault and costs it an attempt.
    /// If the disk does not answer, the storage is away with all that is in it. It also counts as away for a read that
    /// never began because all threads were taken: no capture is worse than the others then. A cancelled caller waits
    /// for none of this.
    package func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
        try await answers(about: submissions) { submission in await media(of: submission) }
    }

    /// Reads one capture, and tells files that do not answer from a disk that does not.
    private func media(of submission: CaptureSubmission) async -> Result<FetchedMedia, QueueError> {
        var fault = "the capture's files do not answer"
        for isAgain in [false, true] {
            let read = await read(submission, isPatient: isAgain)
            switch read {
            case .success(.unreadable(let why)): fault = why
            // A cancelled caller has learnt nothing about the capture.
            case .failure(let error) where error.code == .outcomeUnknown && !Task.isCancelled: break
            case .success, .failure: return read
            }
            // If the whole disk hung, the second read succeeds; if only this capture hangs, it alone is to blame.
            do throws(QueueError) { try await prove() } catch { return .failure(error) }
        }
        return .success(.unreadable(fault))
    }

    private func read(
        _ submission: CaptureSubmission, isPatient: Bool
    ) async -> Result<FetchedMedia, QueueError> {
        do throws(QueueError) {
            let media = try await threads.run(.capture(submission.id), isPatient: isPatient) {
                [directory] () throws(QueueError) in try directory.fetch(submission)
            }
            return .success(media)
        } catch {
            return .failure(error)
        }
    }
}
