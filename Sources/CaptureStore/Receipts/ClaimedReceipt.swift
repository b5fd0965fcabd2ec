package import CaptureModel

/// A receipt that one worker has claimed.
package struct ClaimedReceipt: Sendable, Equatable {
    /// The token that distinguishes the claim from others.
    package let token: Int64
    /// Whose receipt it is, as registered; revoked or not.
    package let device: Device
    /// The clientDataHash of the attestation that the receipt came with; `nil` for a renewed one.
    package let clientDataHash: [UInt8]?
    /// The latest receipt.
    package let receipt: [UInt8]
    /// When it was received: the moment as of which it is verified.
    package let receivedAt: Timestamp
    /// The earliest time at which Apple takes it again, if it says so.
    package let notBefore: Timestamp?
    /// How often in a row an exchange has failed.
    package let attempts: Int

    /// Memberwise.
    package init(
        token: Int64, device: Device, clientDataHash: [UInt8]?, receipt: [UInt8], receivedAt: Timestamp,
        notBefore: Timestamp?, attempts: Int
    ) {
        self.token = token
        self.device = device
        self.clientDataHash = clientDataHash
        self.receipt = receipt
        self.receivedAt = receivedAt
        self.notBefore = notBefore
        self.attempts = attempts
    }
}
