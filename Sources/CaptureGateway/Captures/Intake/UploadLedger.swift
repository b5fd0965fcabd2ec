import CaptureModel
import CaptureQueue
import CaptureStore
import IntakeJournal
import Logging

/// The ledger as an upload meets it.
struct UploadLedger: Sendable {
    let ledger: any IntakeLedger
    let journal: IntakeJournal
    /// Whether only the bundle digest counts: an upload without a good signature is no verified capture, though it may
    /// have the same media, metadata and counter.
    var goesByDigestAlone = false

    /// The same for an upload whose signature is not good.
    var byDigestAlone: UploadLedger {
        var copy = self
        copy.goesByDigestAlone = true
        return copy
    }

    /// Commits the upload's row, or finds the earlier one of the same bundle.
    func record(_ submission: CaptureSubmission) async throws(NotAccepted) -> IntakeOutcome {
        let outcome: IntakeOutcome
        do throws(StoreError) {
            outcome = try await journal.record(submission, byDigestAlone: goesByDigestAlone)
        } catch {
            throw NotAccepted(row: error)
        }
        guard outcome != .contested else {
            throw NotAccepted(answer: .unavailable(because: .busy("the bundle was withdrawn just now")))
        }
        return outcome
    }

    /// Everything on a capture that was recorded earlier; `nil` when it has a result or was withdrawn.
    ///
    /// From now on it stays recorded.
    func claim(_ capture: CaptureID) async throws(APIError) -> IntakeEntry? {
        try await askingStore { () async throws(StoreError) -> IntakeEntry? in try await ledger.claim(capture) }
    }

    /// Records a capture again after it was enqueued from its row, in case an operator has discarded it.
    func keep(_ submission: CaptureSubmission) async throws(APIError) {
        let outcome = try await askingStore { () async throws(StoreError) in
            try await journal.record(submission, byDigestAlone: goesByDigestAlone)
        }
        guard outcome == .recorded else {
            throw .unavailable(because: .busy("the bundle was discarded, and sent once more, just now"))
        }
    }

    /// Ends the row of a capture in whose place there is another one of the same bundle, whoever has claimed it.
    ///
    /// It is passed, with a copy of the bytes, to that capture if it waits: so everything that was answered with 202 is
    /// in the ledger. If that one is settled, or has a row of its own, the row is deleted.
    ///
    /// As long as the bundle leads to that capture, neither an upload nor the reconciler enqueues the row's.
    /// - Parameters:
    ///   - bytes: The row's own.
    ///   - queued: What the queue says of the other capture, if it knows it.
    func giveWay(_ bytes: UploadedBytes, to queued: JobStatus?) async throws(APIError) {
        let capture = bytes.submission.id
        if let queued, !queued.state.isSettled {
            let copy = bytes.of(queued.id)
            try await askingQueue { () async throws(QueueError) in try await copy.put() }
            let isPassed = try await askingStore { () async throws(StoreError) in
                try await ledger.passRow(of: capture, to: queued.id, receivedAt: queued.receivedAt)
            }
            if isPassed { return }
        }
        _ = try await askingStore { () async throws(StoreError) in try await ledger.discard(capture) }
    }

    /// Withdraws the row of an upload that the queue has not taken; `true` when the row is gone.
    ///
    /// A row that somebody has claimed stays: its capture may be in the queue by now.
    func withdraw(_ capture: CaptureID, _ logger: Logger) async -> Bool {
        do throws(StoreError) {
            return try await ledger.withdraw(capture)
        } catch {
            logger.info(
                "the row of a capture that was not enqueued is left to the reconciler",
                metadata: ["capture_id": "\(capture)", "fault": "\(error)"]
            )
            return false
        }
    }
}
