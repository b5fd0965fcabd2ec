package import CaptureModel

/// A verified result of a compromised key.
package struct AffectedResult: Sendable, Equatable {
    /// The capture.
    package let capture: CaptureID
    /// Its counter, by which the list is ordered.
    package let counter: UInt32
    /// When it was received.
    package let receivedAt: Timestamp

    /// Memberwise.
    package init(capture: CaptureID, counter: UInt32, receivedAt: Timestamp) {
        self.capture = capture
        self.counter = counter
        self.receivedAt = receivedAt
    }
}
