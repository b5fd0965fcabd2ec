package import CaptureModel
package import CaptureStore

/// A line of a list of captures: its state by the record, or else by the queue and the ledger.
package struct ListedCapture: Sendable, Equatable {
    /// The capture.
    package let id: CaptureID
    /// Its device.
    package let device: DeviceID
    /// When the gateway had the whole bundle.
    package let receivedAt: Timestamp
    /// Its state.
    package let state: CaptureState
    /// Why it was rejected, dead-lettered or retried later.
    package let reason: Reason?
    /// The fault that delayed it or made it fail.
    package let fault: String?
    /// How often it was tried.
    package let attempts: Int
    /// Whether it was redriven, so that later captures of its device may have been settled before it.
    package let isRedriven: Bool
    /// The record's result; `nil` if it is not settled.
    package let result: ArchivedCapture.Result?

    /// Memberwise.
    package init(
        id: CaptureID, device: DeviceID, receivedAt: Timestamp, state: CaptureState, reason: Reason?, fault: String?,
        attempts: Int, isRedriven: Bool, result: ArchivedCapture.Result?
    ) {
        self.id = id
        self.device = device
        self.receivedAt = receivedAt
        self.state = state
        self.reason = reason
        self.fault = fault
        self.attempts = attempts
        self.isRedriven = isRedriven
        self.result = result
    }

    /// Its place in a list by the time of receipt.
    package var position: CapturePosition { CapturePosition(receivedAt: receivedAt, capture: id) }

    /// Takes a capture without a result.
    package init(_ status: JobStatus) {
        self.init(
            id: status.id, device: status.device, receivedAt: status.receivedAt, state: status.state,
            reason: status.reason, fault: status.fault, attempts: status.attempts, isRedriven: status.isRedriven,
            result: nil)
    }

    /// Takes a capture of the archive.
    /// - Parameter status: The queue's state of it, used if the row has no result.
    package init(_ row: ArchivedCapture, _ status: JobStatus?) {
        guard let result = row.result else {
            let status = status ?? JobStatus(lost: row.id, of: row.device, receivedAt: row.receivedAt)
            // The ledger's time, by which the list is sorted and filtered: the queue's may differ.
            self.init(
                id: row.id, device: row.device, receivedAt: row.receivedAt, state: status.state, reason: status.reason,
                fault: status.fault, attempts: status.attempts, isRedriven: status.isRedriven, result: nil)
            return
        }
        self.init(
            id: row.id, device: row.device, receivedAt: row.receivedAt, state: CaptureState(result.verdict),
            reason: result.reason, fault: nil, attempts: result.attempts, isRedriven: result.isRedriven, result: result)
    }
}

extension JobStatus {
    /// The status of a capture that the ledger has accepted but the queue has lost: queued, as it will be put back.
    package init(lost capture: CaptureID, of device: DeviceID, receivedAt: Timestamp) {
        self.init(
            id: capture, device: device, state: .queued, attempts: 0, reason: nil, fault: nil, receivedAt: receivedAt,
            claimedAt: nil, settledAt: nil, nextAttemptAt: nil)
    }
}
