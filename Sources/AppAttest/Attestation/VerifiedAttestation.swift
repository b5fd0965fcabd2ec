#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The facts that an attestation proves about a key; only ``AttestationVerifier`` makes one.
public struct VerifiedAttestation: Sendable {
    /// SHA-256 over ``publicKey``: Apple's key identifier.
    public let keyID: [UInt8]
    /// The device's key as X9.63: `04`, then 32 bytes each of x and y.
    public let publicKey: [UInt8]
    /// The app that the key belongs to, out of those allowed.
    public let appID: AppID
    /// The environment that the key belongs to.
    public let environment: AttestEnvironment
    /// The root that the chain ends in: of several that signed it, the first one valid at the moment.
    public let trustRoot: TrustRoot
    /// Always 0, and what a new key starts from; a key that was registered before keeps its counter.
    ///
    /// A key can be attested again. With its counter set back, all its old assertions would be good once more.
    public let counter: UInt32
    /// Apple's receipt as it came; empty when the policy does not require one and there is none.
    public let receipt: [UInt8]
    /// What the receipt says; `nil` when the policy does not look into receipts, or there is none.
    public let verifiedReceipt: VerifiedReceipt?
    /// The certificates as DER, leaf first, without the root.
    public let certificateChain: [[UInt8]]
    /// When the leaf's validity starts.
    public let leafNotBefore: Date
    /// When the leaf's validity ends, about two days after it was issued.
    public let leafNotAfter: Date
    /// The version of the device's system as Apple certified it; `nil` when the certificate names none.
    public let osVersion: String?
    /// What iOS 27 and later say about the app; `nil` on systems before.
    public let extensions: AuthenticatorExtensions?
}
