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
    ///
    /// When it throws, the bytes are gone if the row certainly is not there.
    func record(_ submission: CaptureSubmission, _ bytes: UploadedMedia) async throws(APIError) -> IntakeOutcome {
        do throws(StoreError) {
            let outcome = try await journal.record(submission)
            guard outcome != .contested else { throw StoreError(.conflict, "the bundle was withdrawn just now") }
            return outcome
        } catch {
            if error.code != .outcomeUnknown && error.code != .malformedRow { await bytes.remove() }
            throw .unavailable(error)
        }
    }

    /// Everything on a capture that was recorded earlier, which stays recorded from now on; `nil` when it has a result
    /// by now or was withdrawn.
    func claim(_ capture: CaptureID) async throws(APIError) -> IntakeEntry? {
        try await askingStore { () async throws(StoreError) -> IntakeEntry? in try await ledger.claim([capture]).first }
    }

    /// Has a capture that was enqueued from its row be recorded still: an operator may have discarded it meanwhile.
    func keep(_ submission: CaptureSubmission) async throws(APIError) {
        try await askingStore { () async throws(StoreError) in
            guard try await journal.record(submission) == .recorded else {
                throw StoreError(.conflict, "the bundle was discarded, and sent once more, just now")
            }
        }
    }

    /// Has the row of an upload be that of the capture that the queue has for its bundle; tells whether it is.
    func handRow(of capture: CaptureID, to first: CaptureID) async throws(APIError) -> Bool {
        try await askingStore { () async throws(StoreError) in try await ledger.handRow(of: capture, to: first) }
    }

    /// Takes the row of an upload back that the queue has not taken; tells whether it is gone.
    ///
    /// It stays when somebody has claimed it: the capture may be in the queue by now.
    func withdraw(_ capture: CaptureID, _ logger: Logger) async -> Bool {
        do throws(StoreError) {
            return try await ledger.withdraw([capture]) == 1
        } catch {
            logger.info(
                "the row of a capture that was not enqueued is left to the reconciler",
                metadata: ["capture_id": "\(capture)", "fault": "\(error)"]
            )
            return false
        }
    }
}
