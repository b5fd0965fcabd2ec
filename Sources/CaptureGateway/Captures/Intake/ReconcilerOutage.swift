import CaptureQueue
import CaptureStore
import Logging

/// Logs that the queue cannot be compared with the ledger, once per change of state.
struct ReconcilerOutage {
    private let logger: Logger
    private var isAway = false

    init(logger: Logger) {
        self.logger = logger
    }

    /// Notes a walk that ended early.
    mutating func note(_ fault: IntakePass.Fault) {
        // The queue has lost data while it was restored: the next walk begins anew.
        if case .queue(let error) = fault, error.code == .restoring { return }
        guard !isAway else { return }
        isAway = true
        let text =
            switch fault {
            case .queue(let error): error.description
            case .ledger(let error): error.description
            }
        logger.warning("the queue cannot be compared with the ledger", metadata: ["fault": "\(text)"])
    }

    /// Notes that it went through.
    mutating func end() {
        guard isAway else { return }
        isAway = false
        logger.notice("the queue is compared with the ledger again")
    }
}
