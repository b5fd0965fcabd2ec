package import CaptureModel

/// A verified result of a compromised key.
package struct AffectedResult: Sendable, Equatable {
    /// The capture.
    package let capture: CaptureID
    /// Its counter, which names its place in the list: no other verified result of the key has it.
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
