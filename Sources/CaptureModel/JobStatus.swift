/// Where a capture stands, as the queue knows it.
public struct JobStatus: Sendable, Equatable {
    /// The capture.
    public var id: CaptureID
    /// Its device.
    public var device: DeviceID
    /// Where it stands.
    public var state: CaptureState
    /// How often it was claimed.
    public var attempts: Int
    /// Why it was rejected or failed, or why it was put off, when the fault is the capture's own.
    public var reason: Reason?
    /// The fault that put it off or made it fail, in words that are safe to show.
    public var fault: String?
    /// When the gateway had the bundle.
    public var receivedAt: Timestamp
    /// When it was claimed last.
    public var claimedAt: Timestamp?
    /// When it was settled or given up.
    public var settledAt: Timestamp?
    /// When a capture that was put off is tried again.
    public var nextAttemptAt: Timestamp?
    /// Where the time went, once settled.
    public var timings: CaptureTimings?
    /// Whether it was redriven, so that later captures of its device may have been settled before it.
    public var isRedriven: Bool

    /// Memberwise.
    public init(
        id: CaptureID, device: DeviceID, state: CaptureState, attempts: Int, reason: Reason?, fault: String?,
        receivedAt: Timestamp, claimedAt: Timestamp?, settledAt: Timestamp?, nextAttemptAt: Timestamp?,
        timings: CaptureTimings?, isRedriven: Bool = false
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
        self.timings = timings
        self.isRedriven = isRedriven
    }
}
