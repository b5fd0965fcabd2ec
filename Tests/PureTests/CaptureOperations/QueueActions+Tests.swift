import CaptureOperations
import CaptureQueue
import TestSupport

/// What no action asks of a queue.
extension OperatedQueue where Self: ForwardingQueue {
    func overview() async throws(QueueError) -> QueueOverview { throw QueueError(.refused, "not asked for") }
    func tallies(_ span: Tally.Span, count: Int) async throws(QueueError) -> [Tally] { [] }
}

extension QueueActions {
    /// Discards, and tells what came of it where nothing was thrown.
    func discard(_ letters: [DeadLetter], by actor: String) async throws(ServerFault) -> Outcome {
        var outcome = Outcome()
        try await act(.discard, on: letters, by: actor, adding: &outcome)
        return outcome
    }

    /// Pauses or resumes where the audit is not asked about.
    func tellQueue(to change: QueueSwitch, by actor: String) async throws(ServerFault) -> Bool {
        var isAuditAhead = false
        return try await tellQueue(to: change, by: actor, isAuditAhead: &isAuditAhead)
    }
}
