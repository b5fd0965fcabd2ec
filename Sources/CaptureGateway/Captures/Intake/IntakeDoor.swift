import CaptureModel
import CaptureQueue
import CaptureStore
import Logging

/// The ledger as an upload meets it.
struct IntakeDoor: Sendable {
    let ledger: any IntakeLedger
    let journal: IntakeJournal
    /// How old a row may be when it is withdrawn: the reconciler leaves younger ones alone for twice that time.
    let withdrawalAgeMax: Duration

    /// An upload in the ledger.
    struct Recording: Sendable {
        let capture: CaptureID
        let outcome: IntakeOutcome
        let recordedAt: ContinuousClock.Instant
    }

    /// Commits the upload's row, or finds the earlier one of the same bundle.
    ///
    /// When it throws, the bytes are gone if the row certainly is not there.
    func record(_ submission: CaptureSubmission, _ bytes: Bytes) async throws(APIError) -> Recording {
        let started = ContinuousClock.now
        do throws(StoreError) {
            let outcome = try await journal.record(submission)
            guard outcome != .contested else { throw StoreError(.conflict, "the bundle was withdrawn just now") }
            return Recording(capture: submission.id, outcome: outcome, recordedAt: started)
        } catch {
            if error.code != .outcomeUnknown && error.code != .malformedRow { await bytes.remove() }
            throw .unavailable(error)
        }
    }

    /// Everything on a capture that was recorded earlier; `nil` when it has a result by now.
    func entry(of capture: CaptureID) async throws(APIError) -> IntakeEntry? {
        do throws(StoreError) { return try await ledger.entries(of: [capture]).first } catch {
            throw .unavailable(error)
        }
    }

    /// Takes the row of an upload back that the queue has not taken; tells whether it is gone.
    func withdraw(_ recording: Recording, _ logger: Logger) async -> Bool {
        // The reconciler may be enqueuing it by now.
        guard recording.recordedAt.duration(to: .now) < withdrawalAgeMax else { return false }
        do throws(StoreError) {
            _ = try await ledger.withdraw([recording.capture])
            return true
        } catch {
            logger.info(
                "the row of a capture that was not enqueued is left to the reconciler",
                metadata: ["capture_id": "\(recording.capture)", "error": "\(error)"]
            )
            return false
        }
    }
}
