import CaptureModel
import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Verifies Apple's receipts: those inside of attestations, and the renewed ones that carry a risk metric.
///
/// ```swift
/// let expected = ReceiptExpectation(
///     appID: app, publicKey: verified.publicKey, clientDataHash: hash, type: .attestation)
/// let receipt = try ReceiptVerifier().verify(verified.receipt, expected, at: receivedAt)
/// ```
///
/// The first failing step gives the reason:
/// 1. CMS signed data within the limits; 2. one signer, and its certificate is there; 3. its signature over the
/// content; 4. names and signatures up to a pinned root; 5. constraints, usages and the signer's purpose; 6. validity
/// at the given moment; 7. the fields; 8. the app; 9. the attested key; 10. the clientDataHash, in receipts of
/// attestations; 11. type, and environment where it is named; 12. the token of the renewed receipt; 13. the receipt's
/// own times.
///
/// Nothing in the content is interpreted before its signature and chain are good. Values of this type are cheap to copy
/// and share a cache of verified intermediates.
public struct ReceiptVerifier: Sendable {
    /// What is accepted.
    public let policy: ReceiptPolicy

    private let chains: ReceiptChainVerifier

    /// Creates a verifier with an empty cache.
    public init(policy: ReceiptPolicy = ReceiptPolicy()) {
        self.policy = policy
        chains = ReceiptChainVerifier(
            roots: policy.roots, authoritiesMax: policy.limits.authoritiesMax,
            cache: IntermediateCache(capacity: policy.limits.cachedIntermediatesMax))
    }

    /// Verifies one receipt as of the moment at which it was received.
    ///
    /// The moment of verification does not count, because signers change every year.
    ///
    /// - Throws: ``ReceiptError`` for the first step that fails; `RECEIPT_CHAIN_NOT_YET_VALID` at once for a moment that
    ///   is no finite number.
    public func verify(
        _ receipt: [UInt8], _ expectation: ReceiptExpectation, at moment: Date
    ) throws(ReceiptError) -> VerifiedReceipt {
        // A moment that is no number is neither before nor after any other, and would be within every validity.
        guard moment.timeIntervalSinceReferenceDate.isFinite else {
            throw ReceiptError(.chainNotYetValid, detail: "the given moment is not finite")
        }
        let envelope = try SignedReceipt(receipt, limits: policy.limits)
        let signer = try Self.certificate(of: envelope)
        try Self.checkSignature(envelope, by: signer)
        let root = try chains.verify(signer, among: envelope.certificates, at: moment)
        let payload = try ReceiptPayload(envelope.content, limits: policy.limits.ber)
        let type = try Self.checkClaims(payload, expectation)
        try checkTimes(payload, at: moment)
        return VerifiedReceipt(
            type: type, appID: expectation.appID, publicKey: expectation.publicKey,
            environment: payload.environment, token: payload.token, createdAt: payload.createdAt,
            expiresAt: payload.expiresAt, notBefore: payload.notBefore, riskMetric: payload.riskMetric,
            isBoundToAttestation: type == .attestation && expectation.clientDataHash != nil,
            signer: signer.commonName, signerNotAfter: signer.notAfter, trustRoot: root)
    }

    /// Step 2: the only certificate with the signer's issuer and serial number.
    private static func certificate(of envelope: SignedReceipt) throws(ReceiptError) -> X509Certificate {
        let named = envelope.certificates.filter {
            $0.serialNumber == envelope.signer.serialNumber && $0.issuer == envelope.signer.issuer
        }
        guard let certificate = named.first, named.count == 1 else { throw ReceiptError(.signerCertificateMissing) }
        return certificate
    }

    /// Step 3: the signature over the content itself, as Apple signs.
    ///
    /// Receipts of 2020 have signed attributes, but their signature is over the content, against RFC 5652. A signature
    /// by the RFC's rule, over attributes that hold the content's digest, is accepted as well.
    private static func checkSignature(
        _ envelope: SignedReceipt, by certificate: X509Certificate
    ) throws(ReceiptError) {
        let signer = envelope.signer
        guard signer.usesSHA256, let key = certificate.publicKey else { throw ReceiptError(.algorithmUnsupported) }
        func signed(_ bytes: [UInt8]) -> Bool {
            key.isValidSignature(signer.signature, for: bytes, signatureAlgorithm: .ecdsaWithSHA256)
        }
        guard signed(envelope.content) || signer.attributesCover(envelope.content) && signed(signer.signedAttributesDER)
        else { throw ReceiptError(.signatureInvalid) }
    }

    /// Steps 8 to 12: the app, key, attestation and token that the receipt belongs to.
    private static func checkClaims(
        _ payload: ReceiptPayload, _ expectation: ReceiptExpectation
    ) throws(ReceiptError) -> ReceiptType {
        guard payload.appID.elementsEqual(expectation.appID.text.utf8) else { throw ReceiptError(.appIDMismatch) }
        guard payload.publicKey == expectation.publicKey else { throw ReceiptError(.publicKeyMismatch) }
        if payload.type == .attestation, let hash = expectation.clientDataHash {
            guard payload.clientDataHash?.elementsEqual(hash) == true else {
                throw ReceiptError(.clientDataHashMismatch)
            }
        }
        guard let type = payload.type, expectation.type ?? type == type else { throw ReceiptError(.typeMismatch) }
        // Apple does not document the field: a receipt without it is not refused.
        if let environment = expectation.environment, let named = payload.environment {
            guard named == environment else { throw ReceiptError(.environmentMismatch) }
        }
        if let token = expectation.token {
            guard payload.token.utf8.elementsEqual(token.utf8) else { throw ReceiptError(.tokenMismatch) }
        }
        return type
    }

    /// Step 13: the receipt's own times.
    ///
    /// In whole microseconds: the fraction of a second of one moment, read in two ways, may differ in its last bit.
    private func checkTimes(_ payload: ReceiptPayload, at moment: Date) throws(ReceiptError) {
        let received = Timestamp(moment)
        guard received <= Timestamp(payload.expiresAt) else { throw ReceiptError(.expired) }
        let age = received.since(Timestamp(payload.createdAt))
        guard age >= .zero - policy.clockSkewMax else { throw ReceiptError(.createdLater) }
        if let ageMax = policy.ageMax {
            guard age <= ageMax else { throw ReceiptError(.stale) }
        }
    }
}
