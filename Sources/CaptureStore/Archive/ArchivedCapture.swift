package import CaptureModel

/// One capture of a list.
package struct ArchivedCapture: Sendable, Equatable {
    /// The result of a settled capture.
    package struct Result: Sendable, Equatable {
        /// What became of it.
        package let verdict: Verdict
        /// Why it was rejected.
        package let reason: Reason?
        /// The confidence that its evidence allows.
        package let confidence: Confidence
        /// The authenticated counter.
        package let counter: UInt32?
        /// The highest counter accepted before this one, if this one is not above it.
        ///
        /// It is the key's counter, or that of the registration, if another one has taken its place.
        package let counterHighest: UInt32?
        /// How often it was tried.
        package let attempts: Int
        /// Whether it was redriven, so that later captures of its device may have been settled before it.
        package let isRedriven: Bool
        /// When a worker verified it.
        package let verifiedAt: Timestamp
        /// Since when the device's key may have been in other hands, if this result is from then or later.
        package let compromisedSince: Timestamp?

        /// Memberwise.
        package init(
            verdict: Verdict, reason: Reason?, confidence: Confidence, counter: UInt32?, counterHighest: UInt32?,
            attempts: Int, isRedriven: Bool, verifiedAt: Timestamp, compromisedSince: Timestamp? = nil
        ) {
            self.verdict = verdict
            self.reason = reason
            self.confidence = confidence
            self.counter = counter
            self.counterHighest = counterHighest
            self.attempts = attempts
            self.isRedriven = isRedriven
            self.verifiedAt = verifiedAt
            self.compromisedSince = compromisedSince
        }
    }

    /// The capture.
    package let id: CaptureID
    /// Its device.
    package let device: DeviceID
    /// When the gateway had the whole bundle.
    package let receivedAt: Timestamp
    /// What became of it; `nil` while it has no result.
    package let result: Result?

    /// Memberwise.
    package init(id: CaptureID, device: DeviceID, receivedAt: Timestamp, result: Result?) {
        self.id = id
        self.device = device
        self.receivedAt = receivedAt
        self.result = result
    }

    /// Its place in the order.
    package var position: CapturePosition { CapturePosition(receivedAt: receivedAt, capture: id) }
}
