package import CaptureModel

/// A replay over other content, signed by an attested key.
///
/// A Secure Enclave raises the counter with each signature. So the key signs outside of one as well, or the root that
/// attested it is not Apple's.
package struct CounterConflict: Sendable, Equatable {
    /// The capture that was rejected as `COUNTER_REPLAY`.
    package let capture: CaptureID
    /// The verified capture of its key and counter, with another clientDataHash.
    package let verified: CaptureID

    /// Memberwise.
    package init(capture: CaptureID, verified: CaptureID) {
        self.capture = capture
        self.verified = verified
    }
}
