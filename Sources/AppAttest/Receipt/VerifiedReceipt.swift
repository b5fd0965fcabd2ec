#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The statements of a receipt about a key; only ``ReceiptVerifier`` makes one.
public struct VerifiedReceipt: Sendable {
    /// Whether it came with the attestation or from Apple's server.
    public let type: ReceiptType
    /// The app that the key belongs to.
    public let appID: AppID
    /// The attested key as X9.63: `04`, then 32 bytes each of x and y.
    public let publicKey: [UInt8]
    /// The environment that the key belongs to; `nil` when the receipt lacks this field, which Apple does not document.
    public let environment: AttestEnvironment?
    /// The base64 text that all receipts of a key share.
    public let token: String
    /// When Apple made it.
    public let createdAt: Date
    /// When it stops being good for a renewal.
    public let expiresAt: Date
    /// When the next renewal may be requested; `nil` in receipts of attestations, which may be renewed at once.
    public let notBefore: Date?
    /// About how many keys were attested on the device for this team in 30 days; `nil` in receipts of attestations.
    ///
    /// A high count hints at one device that poses as many, and proves nothing; values of the development environment
    /// mean nothing.
    public let riskMetric: Int?
    /// Whether the receipt's clientDataHash was found to be the expected one of the attestation.
    public let isBoundToAttestation: Bool
    /// The common name of the certificate that signed it.
    public let signer: String
    /// When that certificate's validity ends.
    public let signerNotAfter: Date
    /// The root that the signer's chain ends in.
    public let trustRoot: TrustRoot
}
