package import CaptureModel

/// A challenge to attest.
package struct Challenge: Sendable, Equatable {
    /// Its 32 bytes.
    package let bytes: [UInt8]
    /// Until when it is good.
    package let expiresAt: Timestamp?
}
