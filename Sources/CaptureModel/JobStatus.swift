/// Where a capture stands, as the queue knows it.
package struct JobStatus: Sendable, Equatable {
    /// The capture.
    package var id: CaptureID
    /// Its device.
    package var device: DeviceID
    /// Where it stands.
    package var state: CaptureState
    /// How often it was claimed.
    package var attempts: Int
    /// Why it was rejected or failed, or why it was put off, when the fault is the capture's own.
    package var reason: Reason?
    /// The fault that put it off or made it fail, in words that are safe to show.
    package var fault: String?
    /// When the gateway had the bundle.
    ///
    /// If the job has lost that: the time of its id, or else when it was claimed or given up.
    package var receivedAt: Timestamp
    /// When it was claimed last.
    package var claimedAt: Timestamp?
    /// When it was settled or given up.
    package var settledAt: Timestamp?
    /// When a capture that was put off is tried again.
    package var nextAttemptAt: Timestamp?
    /// Whether it was redriven, so that later captures of its device may have been settled before it.
    package var isRedriven: Bool

    /// Memberwise.
    package init(
        id: CaptureID, device: DeviceID, state: CaptureState, attempts: Int, reason: Reason?, fault: String?,
        receivedAt: Timestamp, claimedAt: Timestamp?, settledAt: Timestamp?, nextAttemptAt: Timestamp?,
        isRedriven: Bool = false
    ) {
        self.id = id
        self.device = device
        self.state = state
        self.attempts = attempts
        self.reason = reason
        self.fault = fault
        self.receivedAt = receivedAt
        self.claimedAt = claimedAt
        self.settledAt = settledAt
        self.nextAttemptAt = nextAttemptAt
        self.isRedriven = isRedriven
    }
}
