import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Logging

/// Rows whose bundles the queue has as other captures: their uploads ended before they could give way.
///
/// While such a capture is in the queue, the row stays: it is of use if Redis loses that capture, and an upload of the
/// bundle passes it on. Once that capture has a result, the row is deleted. Its own capture was never in the queue.
extension IntakeWalk {
    /// What is still to be put back after a call, in the order of acceptance.
    func remaining(
        _ answers: some Sequence<(LostCapture, RestoreOutcome)>
    ) async throws(ServerFault) -> [LostCapture] {
        var rest: [LostCapture] = []
        for (capture, outcome) in answers {
            switch outcome {
            case .accepted(as: let other):
                if try await !hasGivenWay(capture.submission, to: other) { rest.append(capture.placed(beside: other)) }
            case .behind: rest.append(capture)
            case .known, .restored, .lost, .invalid, .queued: continue
            }
        }
        return rest
    }

    /// Deletes the row of a capture whose bundle has its result as another one; `false` if that one has none, or is of
    /// other bytes.
    private func hasGivenWay(_ submission: CaptureSubmission, to other: CaptureID) async throws(ServerFault) -> Bool {
        try await ServerFault.askingStore { () async throws(StoreError) -> Bool in
            guard try await store.hasResult(of: other, for: submission) == true else { return false }
            _ = try await ledger.discard(submission.id)
            logger.notice(
                "a row is deleted: its bundle has the result of another capture",
                metadata: ["capture_id": "\(other)", "device_id": "\(submission.device)"])
            return true
        }
    }
}
