import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Logging

/// Rows whose bundles the queue has as other captures: their uploads ended before they could give way.
///
/// Put back from such a row, its capture would be a second one of its bundle. Nobody was told its id: the queue never had
/// it.
extension IntakeWalk {
    /// What is still to be put back after a call, in the order of acceptance; ends the rows that have given way.
    func remaining(
        _ answers: some Sequence<(LostCapture, RestoreOutcome)>
    ) async throws(ServerFault) -> [LostCapture] {
        var rest: [LostCapture] = []
        for (capture, outcome) in answers {
            switch outcome {
            case .queued(as: let other, receivedAt: let receivedAt):
                try await giveWay(capture.submission, to: other, receivedAt: receivedAt)
            case .accepted(as: let other):
                if try await isItsOwn(capture.submission, beside: other) { rest.append(capture.placed(beside: other)) }
            case .behind: rest.append(capture)
            case .known, .restored, .lost, .invalid: continue
            }
        }
        return rest
    }

    /// Passes a row, with a copy of its bytes, to the capture that is in the queue; deletes it if that one has a row or a
    /// result.
    private func giveWay(
        _ submission: CaptureSubmission, to other: CaptureID, receivedAt: Timestamp
    ) async throws(ServerFault) {
        do throws(QueueError) {
            // The next full look tries again.
            guard try await copyBytes(of: submission, to: other) else { return }
        } catch {
            // It is of this bundle alone.
            if error.code == .refused { return }
            throw .queue(error)
        }
        try await ServerFault.askingStore { () async throws(StoreError) -> Void in
            if try await !ledger.passRow(of: submission.id, to: other, receivedAt: receivedAt) {
                _ = try await ledger.discard(submission.id)
            }
        }
        noteGivenWay(submission, to: other)
    }

    /// Copies a row's bytes, if there are any, to the capture that gets the row; `false` if they cannot be read now.
    ///
    /// Its own may be in another store, and are gone when Redis loses it. The row's copy is left to its store, which
    /// removes what belongs to no capture.
    private func copyBytes(of submission: CaptureSubmission, to other: CaptureID) async throws(QueueError) -> Bool {
        // More than was declared is not read, and nobody's.
        if try await bundles.isOfOtherSize(submission) { return true }
        switch try await bundles.fetch([submission]).first {
        case .found(let media)?: try await bundles.put(media, of: submission.with(id: other))
        case .missing?: break
        case .unreadable?, nil: return false
        }
        return true
    }

    /// Whether a row's capture is to be put back although its bundle leads to another one.
    ///
    /// Not if that one has a result of this bundle: then the row is deleted.
    private func isItsOwn(
        _ submission: CaptureSubmission, beside other: CaptureID
    ) async throws(ServerFault) -> Bool {
        do throws(StoreError) {
            guard try await store.hasResult(of: other, for: submission) == true else { return true }
            _ = try await ledger.discard(submission.id)
        } catch {
            // A result that cannot be read is no reason for a second capture, nor to keep the other rows back.
            guard error.mayBeOfOneCapture else { throw .store(error) }
            return false
        }
        noteGivenWay(submission, to: other)
        return false
    }

    private func noteGivenWay(_ submission: CaptureSubmission, to other: CaptureID) {
        logger.notice(
            "a row gives way to the capture that there is of its bundle",
            metadata: ["capture_id": "\(other)", "device_id": "\(submission.device)"])
    }
}
