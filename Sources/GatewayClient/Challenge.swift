public import CaptureModel

/// A challenge to attest.
public struct Challenge: Sendable, Equatable {
    /// Its 32 bytes.
    public var bytes: [UInt8]
    /// Until when it is good.
    public var expiresAt: Timestamp?
}
