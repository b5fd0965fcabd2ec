import Crypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Verifies attestations as Apple's "Validating apps that connect to your server" asks, or more strictly.
///
/// ```swift
/// let hash = Array(SHA256.hash(data: challenge))
/// let attestations = AttestationVerifier(policy: AttestationPolicy(appIDs: [app]))
/// let verified = try attestations.verify(attestation: bytes, keyID: keyID, clientDataHash: hash, at: receivedAt)
/// ```
///
/// The first failing step gives the reason:
/// 1. strict CBOR, one map, within the limits; 2. the format; 3. certificates, receipt and authenticator data are
/// there; 4. the certificates parse; 5. names and signatures up to a pinned root; 6. constraints and usages;
/// 7. validity at the given moment; 8. the clientDataHash's length and the nonce; 9. the leaf's key and the key id;
/// 10. the authenticator data's structure; 11. the app; 12. the counter; 13. the environment; 14. the credential is the
/// leaf's key; 15. the app id that Apple certified and the extensions of iOS 27; 16. the access control list, if the
/// policy names one; 17. the receipt, if the policy looks into it: ``AttestationError/receipt`` then tells which of
/// ``ReceiptVerifier``'s steps failed.
///
/// The same attestation verifies any number of times: that the challenge is used once, and that a key which is attested
/// again keeps its counter, [is left to you](<doc:WhatIsLeftToYou>).
///
/// Values of this type are cheap to copy and share a cache of verified intermediates.
public struct AttestationVerifier: Sendable {
    /// What is accepted.
    public let policy: AttestationPolicy

    private let chains: CertificateChainVerifier
    private let receipts: ReceiptVerifier?

    /// Creates a verifier with an empty cache.
    public init(policy: AttestationPolicy) {
        self.policy = policy
        self.chains = CertificateChainVerifier(
            roots: policy.roots, cache: IntermediateCache(capacity: policy.limits.cachedIntermediatesMax))
        self.receipts = policy.receipts.map { ReceiptVerifier(policy: $0) }
    }

    /// Verifies one attestation as of the moment at which it was received.
    ///
    /// The moment of verification does not count, because leaves are valid for days and queues may be longer.
    ///
    /// - Parameters:
    ///   - attestation: The object as the device sent it.
    ///   - keyID: The key id's 32 bytes.
    ///   - clientDataHash: What the app handed to `attestKey`: SHA-256 of your challenge. Its length is that of
    ///     ``AttestationPolicy/Limits/clientDataHashBytes``.
    ///   - moment: When the attestation was received.
    /// - Throws: ``AttestationError`` for the first step that fails; `LEAF_NOT_YET_VALID` at once for a moment that is no
    ///   finite number.
    public func verify(
        attestation: [UInt8], keyID: [UInt8], clientDataHash: [UInt8], at moment: Date
    ) throws(AttestationError) -> VerifiedAttestation {
        // A moment that is no number is neither before nor after any other, and would be within every validity.
        guard moment.timeIntervalSinceReferenceDate.isFinite else {
            throw AttestationError(.leafNotYetValid, detail: "the given moment is not finite")
        }
        let object = try AttestationObject(attestation, limits: policy.limits, requireReceipt: policy.requireReceipt)
        let chain = try chains.verify(leaf: object.leaf, intermediate: object.intermediate, at: moment)
        try checkNonce(of: chain.leaf, object.authenticatorData, clientDataHash)
        let publicKey = try Self.publicKey(of: chain.leaf, keyID: keyID)
        let data = try Self.parse(object.authenticatorData)
        let (appID, environment) = try checkClaims(data, keyID: keyID, publicKey: publicKey)
        try checkPolicy(data.extensions, chain.leaf, appID)
        let receipt = try verify(
            object.receipt,
            ReceiptExpectation(
                appID: appID, publicKey: publicKey, clientDataHash: clientDataHash, type: .attestation,
                environment: environment),
            at: moment)
        return VerifiedAttestation(
            keyID: keyID, publicKey: publicKey, appID: appID, environment: environment,
            trustRoot: chain.root, counter: data.counter, receipt: object.receipt,
            verifiedReceipt: receipt,
            certificateChain: [object.leaf, object.intermediate],
            leafNotBefore: chain.leaf.notBefore, leafNotAfter: chain.leaf.notAfter,
            osVersion: chain.leaf.systemVersion, extensions: data.extensions)
    }

    /// Step 8: Apple signed this authenticator data together with this challenge.
    private func checkNonce(
        of leaf: X509Certificate, _ authenticatorData: [UInt8], _ clientDataHash: [UInt8]
    ) throws(AttestationError) {
        let nonce = try leaf.nonce()
        guard clientDataHash.count == policy.limits.clientDataHashBytes else {
            throw AttestationError(.clientDataHashLength)
        }
        guard Nonce.digest(authenticatorData, clientDataHash).elementsEqual(nonce) else {
            throw AttestationError(.nonceMismatch)
        }
    }

    /// Step 9: the certified key is P-256, and the key id is its digest.
    private static func publicKey(of leaf: X509Certificate, keyID: [UInt8]) throws(AttestationError) -> [UInt8] {
        guard let key = leaf.p256PublicKey else {
            throw AttestationError(.leafKeyType)
        }
        let x963 = Array(key.x963Representation)
        guard SHA256.hash(data: x963).elementsEqual(keyID) else { throw AttestationError(.keyIDMismatch) }
        return x963
    }

    /// Step 10, with the codes of attestations.
    private static func parse(_ bytes: [UInt8]) throws(AttestationError) -> AuthenticatorData {
        do throws(AuthenticatorData.Fault) {
            return try AuthenticatorData(bytes, isAttestation: true)
        } catch {
            switch error {
            case .short: throw AttestationError(.authenticatorDataShort)
            case .credentialMissing: throw AttestationError(.credentialMissing)
            case .credentialIDLength: throw AttestationError(.credentialIDLength)
            case .keyMalformed(let cause): throw AttestationError(.publicKeyMalformed, detail: "\(cause)")
            case .keyUnsupported: throw AttestationError(.publicKeyUnsupported)
            case .extensionsMalformed(let cause): throw AttestationError(.extensionsMalformed, detail: "\(cause)")
            case .extensionsTrailingBytes: throw AttestationError(.extensionsTrailingBytes)
            case .extensionsNotAMap: throw AttestationError(.extensionsNotAMap)
            case .extensionsMissing: throw AttestationError(.extensionsMissing)
            }
        }
    }

    /// Steps 11 to 14: the app, counter, environment and key that the authenticator data claim.
    private func checkClaims(
        _ data: AuthenticatorData, keyID: [UInt8], publicKey: [UInt8]
    ) throws(AttestationError) -> (appID: AppID, environment: AttestEnvironment) {
        guard let appID = policy.appIDs.first(where: { data.rpIDHash.elementsEqual($0.rpIDHash) }) else {
            throw AttestationError(.rpIDMismatch)
        }
        guard data.counter == 0 else { throw AttestationError(.counterNotZero) }
        guard let credential = data.credential else { throw AttestationError(.credentialMissing) }
        guard let environment = AttestEnvironment(aaguid: credential.aaguid) else {
            throw AttestationError(.environmentUnknown)
        }
        guard policy.environments.contains(environment) else { throw AttestationError(.environmentMismatch) }
        guard credential.credentialID.elementsEqual(keyID) else { throw AttestationError(.credentialIDMismatch) }
        guard credential.publicKey.x963 == publicKey else { throw AttestationError(.publicKeyMismatch) }
        return (appID, environment)
    }

    /// Steps 15 and 16: what only some systems certify, checked where it is present or required.
    private func checkPolicy(
        _ extensions: AuthenticatorExtensions?, _ leaf: X509Certificate, _ appID: AppID
    ) throws(AttestationError) {
        if let certified = leaf.certifiedAppID, !certified.elementsEqual(appID.text.utf8) {
            throw AttestationError(.appIDMismatch)
        }
        do throws(ExtensionPolicy.Violation) {
            if let extensions { try policy.extensions.check(extensions) }
        } catch {
            switch error {
            // An attestation is compared with no earlier one, so that the two cases of "below" do not occur.
            case .category, .categoryBelowAttested: throw AttestationError(.validationCategoryNotAllowed)
            case .bundleVersion, .bundleVersionBelowAttested: throw AttestationError(.bundleVersionNotAllowed)
            }
        }
        if let required = policy.accessControl {
            guard leaf.accessControl?.elementsEqual(required) == true else {
                throw AttestationError(.accessControlMismatch)
            }
        }
    }

    /// Step 17: the receipt belongs to this key and attestation; `nil` when there is none or the policy does not look.
    private func verify(
        _ receipt: [UInt8], _ expectation: ReceiptExpectation, at moment: Date
    ) throws(AttestationError) -> VerifiedReceipt? {
        guard let receipts, !receipt.isEmpty || policy.requireReceipt else { return nil }
        do throws(ReceiptError) {
            return try receipts.verify(receipt, expectation, at: moment)
        } catch {
            throw AttestationError(error)
        }
    }
}
