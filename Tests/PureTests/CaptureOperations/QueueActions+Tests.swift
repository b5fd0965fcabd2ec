import CaptureModel
import CaptureOperations
import CaptureQueue
import TestSupport

/// What no action asks of a queue.
extension OperatedQueue where Self: ForwardingQueue {
    func overview() async throws(QueueError) -> QueueOverview { throw QueueError(.refused, "not asked for") }
    func tallies(_ span: Tally.Span, count: Int) async throws(QueueError) -> [Tally] { [] }
    func pausedSince() async throws(QueueError) -> Set<Timestamp> { [] }
}

extension QueueActions {
    /// Discards where no fault is expected.
    func discard(_ letters: [DeadLetter], by actor: String) async throws(ServerFault) -> Outcome {
        let (outcome, fault) = await act(.discard, on: letters, by: actor)
        if let fault { throw fault }
        return outcome
    }
}
