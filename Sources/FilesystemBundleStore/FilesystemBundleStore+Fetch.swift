package import CaptureModel
package import CaptureQueue

/// How captures are read, and whose fault it is when one cannot be.
extension FilesystemBundleStore {
    /// Reads captures' files, as many captures at once as there are threads.
    ///
    /// What cannot be read, or has begun and does not end in time, is that capture's fault, which costs it an attempt,
    /// if it is so twice and the disk has answered after each of the two; the second read waits for one that hangs.
    /// Storage that does not answer is away, with all that is in it. So it is for a read that never came to begin, as
    /// everything hangs or waits that there are threads for: none of the captures is worse than others then. Whoever is
    /// cancelled is not kept waiting by any of it.
    package func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedBundle] {
        try await answers(about: submissions) { submission in await bundle(of: submission) }
    }

    /// Tells a capture whose files do not answer from a disk that does not.
    private func bundle(of submission: CaptureSubmission) async -> Result<FetchedBundle, QueueError> {
        var fault = "the capture's files do not answer"
        for isAgain in [false, true] {
            let read = await read(submission, isPatient: isAgain)
            switch read {
            case .success(.unreadable(let why)): fault = why
            // Whoever was cancelled has learnt nothing of the capture.
            case .failure(let error) where error.code == .outcomeUnknown && !Task.isCancelled: break
            case .success, .failure: return read
            }
            // What hung with the disk answers the second time, and what hangs alone is alone to blame.
            do throws(QueueError) { try await prove() } catch { return .failure(error) }
        }
        return .success(.unreadable(fault))
    }

    private func read(
        _ submission: CaptureSubmission, isPatient: Bool
    ) async -> Result<FetchedBundle, QueueError> {
        do throws(QueueError) {
            let bundle = try await threads.run(.capture(submission.id), isPatient: isPatient) {
                [directory] () throws(QueueError) in try directory.fetch(submission)
            }
            return .success(bundle)
        } catch {
            return .failure(error)
        }
    }
}
