package import CaptureModel

/// A challenge to attest.
package struct Challenge: Sendable, Equatable {
    /// Its 32 bytes.
    package var bytes: [UInt8]
    /// Until when it is good.
    package var expiresAt: Timestamp?
}
