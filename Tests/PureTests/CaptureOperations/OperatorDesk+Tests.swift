import CaptureOperations
import CaptureQueue

extension OperatorDesk {
    /// Discards, and tells what came of it where nothing was thrown.
    func discard(_ letters: [DeadLetter], by actor: String) async throws(Fault) -> Outcome {
        var outcome = Outcome()
        try await discard(letters, by: actor, adding: &outcome)
        return outcome
    }

    /// Pauses or resumes where the audit is not asked about.
    func setPaused(_ paused: Bool, by actor: String) async throws(Fault) -> Bool {
        var isAuditAhead = false
        return try await setPaused(paused, by: actor, isAuditAhead: &isAuditAhead)
    }
}
