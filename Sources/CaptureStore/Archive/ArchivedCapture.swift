public import CaptureModel

/// One capture of a list.
public struct ArchivedCapture: Sendable, Equatable {
    /// What the record says of one that is settled.
    public struct Result: Sendable, Equatable {
        /// What became of it.
        public var verdict: Verdict
        /// Why it was rejected.
        public var reason: Reason?
        /// How much its evidence carries.
        public var confidence: Confidence
        /// The authenticated counter.
        public var counter: UInt32?
        /// The highest counter of an accepted capture of the key, as it is now.
        public var counterHighest: UInt32?
        /// How often it was tried.
        public var attempts: Int
        /// Whether an operator had redriven it.
        public var redriven: Bool
        /// When a worker verified it.
        public var verifiedAt: Timestamp
        /// Since when the device's key may have been in other hands, if this result is from then or later.
        public var compromisedSince: Timestamp?

        /// Memberwise.
        public init(
            verdict: Verdict, reason: Reason?, confidence: Confidence, counter: UInt32?, counterHighest: UInt32?,
            attempts: Int, redriven: Bool, verifiedAt: Timestamp, compromisedSince: Timestamp? = nil
        ) {
            self.verdict = verdict
            self.reason = reason
            self.confidence = confidence
            self.counter = counter
            self.counterHighest = counterHighest
            self.attempts = attempts
            self.redriven = redriven
            self.verifiedAt = verifiedAt
            self.compromisedSince = compromisedSince
        }
    }

    /// The capture.
    public let id: CaptureID
    /// Its device.
    public let device: DeviceID
    /// When the gateway had the whole bundle.
    public let receivedAt: Timestamp
    /// What became of it; `nil` while it has no result.
    public let result: Result?

    /// Memberwise.
    public init(id: CaptureID, device: DeviceID, receivedAt: Timestamp, result: Result?) {
        self.id = id
        self.device = device
        self.receivedAt = receivedAt
        self.result = result
    }

    /// Its place in the order.
    public var position: CapturePosition { CapturePosition(receivedAt: receivedAt, capture: id) }
}
