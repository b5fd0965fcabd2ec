package import CaptureModel

/// How a worker gives a lane back.
package struct LaneSettlement: Sendable, Equatable {
    /// What becomes of one capture.
    package enum Disposition: Sendable, Equatable {
        /// The record has the result.
        case settled(Decision)
        /// Out of attempts or malformed: kept for the operator.
        case dead(Reason, fault: String)
    }

    /// One capture and what becomes of it.
    package struct Item: Sendable, Equatable {
        /// The capture.
        package let id: CaptureID
        /// What becomes of it.
        package let disposition: Disposition

        /// Memberwise.
        package init(id: CaptureID, disposition: Disposition) {
            self.id = id
            self.disposition = disposition
        }
    }

    /// What becomes of the rest of the lane.
    package enum Continuation: Sendable, Equatable {
        /// Ready again at once, at the end of the round.
        case ready
        /// Put off because of a transient fault of the capture at the head.
        ///
        /// The reason is set if the fault is the capture's own; unless `isAttempt`, the capture keeps its attempt.
        case delayed(Duration, reason: Reason? = nil, fault: String, isAttempt: Bool = true)
        /// Ready again at once without counting an attempt: the captures were claimed but not begun.
        case handedBack
    }

    /// The lane's token.
    package let token: LaneToken
    /// The lane's device.
    package let device: DeviceID
    /// Captures from the head of the lane, oldest first, without a gap.
    package let items: [Item]
    /// What becomes of the rest.
    package let continuation: Continuation

    /// Memberwise.
    package init(token: LaneToken, device: DeviceID, items: [Item], continuation: Continuation) {
        self.token = token
        self.device = device
        self.items = items
        self.continuation = continuation
    }

    /// The captures that have their results and no longer need their bytes.
    package var settledCaptures: [CaptureID] {
        items.compactMap { if case .settled = $0.disposition { $0.id } else { nil } }
    }
}

/// What became of a settlement.
package enum SettleOutcome: Sendable, Equatable {
    /// Done.
    case settled
    /// Another worker holds the lane; nothing was changed.
    case fenced
    /// This worker holds the lane, and the items are not the head of it; nothing was changed.
    case mismatch
    /// The queue gave no such answer about this lane, while it did about others; it may be settled again.
    case failed(QueueError)
}
