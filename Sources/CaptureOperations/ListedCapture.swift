package import CaptureModel
package import CaptureStore

/// One line of a list of captures: where each stands by the record, or else by the queue and the ledger.
package struct ListedCapture: Sendable, Equatable {
    /// The capture.
    package let id: CaptureID
    /// Its device.
    package let device: DeviceID
    /// When the gateway had the whole bundle.
    package let receivedAt: Timestamp
    /// Where it stands.
    package let state: CaptureState
    /// Why it was rejected, given up or put off.
    package let reason: Reason?
    /// The fault that put it off or made it fail.
    package let fault: String?
    /// How often it was tried.
    package let attempts: Int
    /// Whether an operator had redriven it.
    package let redriven: Bool
    /// What the record says of one that is settled.
    package let result: ArchivedCapture.Result?

    /// Memberwise.
    package init(
        id: CaptureID, device: DeviceID, receivedAt: Timestamp, state: CaptureState, reason: Reason?, fault: String?,
        attempts: Int, redriven: Bool, result: ArchivedCapture.Result?
    ) {
        self.id = id
        self.device = device
        self.receivedAt = receivedAt
        self.state = state
        self.reason = reason
        self.fault = fault
        self.attempts = attempts
        self.redriven = redriven
        self.result = result
    }

    /// Takes what is known of a capture without a result.
    package init(_ status: JobStatus) {
        self.init(
            id: status.id, device: status.device, receivedAt: status.receivedAt, state: status.state,
            reason: status.reason, fault: status.fault, attempts: status.attempts, redriven: status.redriven,
            result: nil)
    }

    /// Takes a capture of the archive.
    /// - Parameter status: What the queue knows of it, should it have no result.
    package init(_ row: ArchivedCapture, _ status: JobStatus?) {
        guard let result = row.result else {
            let status = status ?? JobStatus(lost: row.id, of: row.device, receivedAt: row.receivedAt)
            // The ledger's moment, by which the list is sorted and filtered: the queue's own may be another.
            self.init(
                id: row.id, device: row.device, receivedAt: row.receivedAt, state: status.state, reason: status.reason,
                fault: status.fault, attempts: status.attempts, redriven: status.redriven, result: nil)
            return
        }
        self.init(
            id: row.id, device: row.device, receivedAt: row.receivedAt, state: CaptureState(result.verdict),
            reason: result.reason, fault: nil, attempts: result.attempts, redriven: result.redriven, result: result)
    }
}

extension JobStatus {
    /// Where a capture stands that the ledger has accepted and that the queue does not know: it is queued, for the queue
    /// has lost it and gets it back.
    package init(lost capture: CaptureID, of device: DeviceID, receivedAt: Timestamp) {
        self.init(
            id: capture, device: device, state: .queued, attempts: 0, reason: nil, fault: nil, receivedAt: receivedAt,
            claimedAt: nil, settledAt: nil, nextAttemptAt: nil, timings: nil)
    }
}
