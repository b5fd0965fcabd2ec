import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ASN1ObjectIdentifier {
    /// The extension that marks Apple's certificates for signing receipts among others of the same authority.
    static let appleReceiptSigning: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 12, 15]
}

/// Builds the chain from a receipt's signer to a pinned root, over the certificates in the receipt: steps 4 to 6.
///
/// Roots in the receipt are never used. Nothing is downloaded, and every step up takes one of at most
/// ``ReceiptPolicy/Limits/certificatesMax`` certificates.
struct ReceiptChainVerifier: Sendable {
    let roots: [TrustRoot]
    let authoritiesMax: Int
    let cache: IntermediateCache

    /// Verifies names and signatures, constraints, and validity at a moment, in this order.
    func verify(
        _ signer: X509Certificate, among certificates: [X509Certificate], at moment: Date
    ) throws(ReceiptError) -> TrustRoot {
        let (authorities, signers) = try climb(from: signer, among: certificates)
        let usable = signers.filter { $0.allows(authoritiesBelow: authorities.count) }
        // Of two certificates of one root, an old one and its successor, take the valid one. When none is valid, or
        // none may stand here, the first one gives the reason.
        guard let root = usable.first(where: { $0.isInForce(at: moment) }) ?? usable.first ?? signers.first else {
            throw ReceiptError(.chainIncomplete)
        }
        try Self.check(signer)
        for (below, authority) in authorities.enumerated() { try Self.check(authority, authoritiesBelow: below) }
        guard !usable.isEmpty else { throw ReceiptError(.chainTooLong) }
        if let last = authorities.last, let key = last.publicKey {
            // All roots that signed it are kept: below a shorter chain, more of them may be usable.
            cache.insert(VerifiedIntermediate(certificate: last, key: key, roots: signers))
        }
        for certificate in [signer] + authorities + [root.certificate] {
            // Both ends belong to the validity (RFC 5280, 4.1.2.5).
            guard certificate.notBefore <= moment else { throw ReceiptError(.chainNotYetValid) }
            guard moment <= certificate.notAfter else { throw ReceiptError(.chainExpired) }
        }
        return root
    }

    /// Step 4: from issuer to issuer, up to a certificate that pinned roots signed; returns all of them, at least one.
    private func climb(
        from signer: X509Certificate, among certificates: [X509Certificate]
    ) throws(ReceiptError) -> ([X509Certificate], [TrustRoot]) {
        var authorities: [X509Certificate] = []
        var current = signer
        while true {
            if let known = cache.find(current.der) { return (authorities, known.roots) }
            let named = roots.filter { $0.certificate.subject == current.issuer }
            let signers = named.filter { current.isSigned(by: $0.key) }
            guard signers.isEmpty else { return (authorities, signers) }
            let issuers = certificates.filter { $0.subject == current.issuer }
            guard !issuers.isEmpty else {
                throw ReceiptError(named.isEmpty ? .chainIncomplete : .chainSignatureInvalid)
            }
            let signed = issuers.first { issuer in
                (cache.find(issuer.der)?.key ?? issuer.publicKey).map(current.isSigned) == true
            }
            guard let issuer = signed else { throw ReceiptError(.chainSignatureInvalid) }
            guard issuer.subject != issuer.issuer else { throw ReceiptError(.rootUntrusted) }
            guard authorities.count < authoritiesMax else { throw ReceiptError(.chainTooLong) }
            authorities.append(issuer)
            current = issuer
        }
    }

    /// Step 5 for an authority (RFC 5280, 4.2.1.9 and 4.2.1.3).
    private static func check(
        _ authority: X509Certificate, authoritiesBelow: Int
    ) throws(ReceiptError) {
        guard let (isCritical, constraints) = authority.basicConstraints else {
            throw ReceiptError(.authorityConstraintsMissing)
        }
        guard isCritical, case .isCertificateAuthority(let pathLength) = constraints else {
            throw ReceiptError(.authorityNotAuthority)
        }
        guard authority.keyUsage?.keyCertSign == true else { throw ReceiptError(.authorityKeyUsage) }
        guard pathLength.map({ authoritiesBelow <= $0 }) ?? true else { throw ReceiptError(.chainTooLong) }
        guard authority.understandsCriticalExtensions else { throw ReceiptError(.criticalExtensionUnknown) }
    }

    /// Step 5 for the signer.
    ///
    /// The extension for receipts is required whatever the root is. Apple Root CA - G3 stands above many of Apple's
    /// services, and its authority for receipts above other signers as well. A root of the operator's own stands above
    /// attestations too, and so above the certificate of every key that was attested under it.
    private static func check(_ signer: X509Certificate) throws(ReceiptError) {
        guard case .notCertificateAuthority? = signer.basicConstraints?.constraints else {
            throw ReceiptError(.signerIsAuthority)
        }
        guard signer.keyUsage?.digitalSignature == true else { throw ReceiptError(.signerKeyUsage) }
        guard signer.extension(.appleReceiptSigning) != nil else { throw ReceiptError(.signerPurpose) }
        guard signer.understandsCriticalExtensions else { throw ReceiptError(.criticalExtensionUnknown) }
    }
}
