import CaptureQueue
import CaptureStore

/// Why an upload is not accepted, and whether this is certain.
struct NotAccepted: Error {
    /// What its sender is told.
    let answer: APIError
    /// Whether its capture may be accepted all the same, now or from its row: then row and bytes stay for the
    /// reconciler or a retry.
    let isInDoubt: Bool

    /// It is certainly not accepted.
    init(answer: APIError) {
        self.answer = answer
        isInDoubt = false
    }

    /// The bytes were not stored, or the capture was not enqueued.
    ///
    /// While the queue is being restored, the capture may be put back from its row at any moment.
    init(_ fault: QueueError) {
        answer = .unavailable(fault)
        isInDoubt = ![.unavailable, .busy, .starting, .refused].contains(fault.code)
    }

    /// The row was not committed.
    init(row fault: StoreError) {
        answer = .unavailable(fault)
        isInDoubt = fault.code == .outcomeUnknown || fault.code == .malformedRow
    }
}
