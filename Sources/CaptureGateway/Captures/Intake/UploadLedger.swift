import CaptureModel
import CaptureQueue
import CaptureStore
import IntakeJournal
import Logging

/// The ledger as an upload meets it.
struct UploadLedger: Sendable {
    let ledger: any IntakeLedger
    let journal: IntakeJournal

    /// Commits the upload's row, or finds the earlier one of the same bundle.
    /// - Parameter byDigestAlone: Whether it is not taken for a verified capture of the same signed bytes: its own
    ///   signature is not good.
    func record(
        _ submission: CaptureSubmission, byDigestAlone: Bool = false
    ) async throws(NotAccepted) -> IntakeOutcome {
        let outcome: IntakeOutcome
        do throws(StoreError) {
            // Nobody honest sends such an upload: it does without a group.
            outcome =
                byDigestAlone
                ? try await ledger.record(byDigestAlone: submission) : try await journal.record(submission)
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
        let outcome = try await askingStore { () async throws(StoreError) in try await journal.record(submission) }
        guard outcome == .recorded else {
            throw .unavailable(because: .busy("the bundle was discarded, and sent once more, just now"))
        }
    }

    /// Passes the upload's row to the capture that the queue already has for the bundle.
    ///
    /// - Returns: `false` if that capture has a row of its own.
    func passRow(of capture: CaptureID, to first: JobStatus) async throws(APIError) -> Bool {
        try await askingStore { () async throws(StoreError) in
            try await ledger.passRow(of: capture, to: first.id, receivedAt: first.receivedAt)
        }
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
