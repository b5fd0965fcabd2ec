import FoundationEssentials
import X509

/// A leaf, its intermediate and the pinned root, after steps 4 to 7.
struct CertificateChain: Sendable {
    let leaf: X509Certificate
    let intermediate: VerifiedIntermediate
}

/// Builds chains to the pinned roots: two links, spelled out, with nothing to search and nothing to download.
struct CertificateChainVerifier: Sendable {
    let roots: [TrustRoot]
    let cache: IntermediateCache

    /// Verifies names, signatures, constraints and validity at a moment, in this order.
    func verify(
        leaf leafDER: [UInt8], intermediate intermediateDER: [UInt8], at moment: Date
    ) throws(AttestationError) -> CertificateChain {
        // Step 4. A cached intermediate was parsed and verified before; only its validity changes with time.
        let leaf = try Self.parse(leafDER)
        let cached = cache.find(intermediateDER)
        let certificate: X509Certificate
        if let cached { certificate = cached.certificate } else { certificate = try Self.parse(intermediateDER) }

        // Step 5. The leaf's link first, as its reason says more about an attestation put together from parts.
        guard leaf.issuer == certificate.subject else { throw AttestationError(.leafIssuerMismatch) }
        guard let key = cached?.key ?? certificate.publicKey, leaf.isSigned(by: key) else {
            throw AttestationError(.leafSignatureInvalid)
        }
        let intermediate: VerifiedIntermediate
        if let cached {
            intermediate = cached
        } else {
            let root = try root(of: certificate)
            try Self.checkIntermediate(certificate, below: root)
            intermediate = VerifiedIntermediate(certificate: certificate, key: key, root: root)
            cache.insert(intermediate)
        }
        try Self.checkLeaf(leaf)
        try Self.checkValidity(leaf, intermediate, at: moment)
        return CertificateChain(leaf: leaf, intermediate: intermediate)
    }

    private static func parse(_ der: [UInt8]) throws(AttestationError) -> X509Certificate {
        do {
            return try X509Certificate(der: der)
        } catch {
            throw AttestationError(.certificateMalformed)
        }
    }

    /// Step 5, second link: among the roots of the issuer's name, the one that signed.
    private func root(of intermediate: X509Certificate) throws(AttestationError) -> TrustRoot {
        let named = roots.filter { $0.certificate.subject == intermediate.issuer }
        guard !named.isEmpty else { throw AttestationError(.intermediateIssuerMismatch) }
        guard let root = named.first(where: { intermediate.isSigned(by: $0.key) }) else {
            throw AttestationError(.intermediateSignatureInvalid)
        }
        return root
    }

    /// Step 6 for the authority (RFC 5280, 4.2.1.9 and 4.2.1.3).
    private static func checkIntermediate(
        _ certificate: X509Certificate, below root: TrustRoot
    ) throws(AttestationError) {
        guard let (isCritical, constraints) = certificate.basicConstraints else {
            throw AttestationError(.intermediateConstraintsMissing)
        }
        guard isCritical, case .isCertificateAuthority = constraints else {
            throw AttestationError(.intermediateNotAuthority)
        }
        guard certificate.keyUsage?.keyCertSign == true else { throw AttestationError(.intermediateKeyUsage) }
        guard root.allowsIntermediate else { throw AttestationError(.pathTooLong) }
        guard certificate.understandsCriticalExtensions else { throw AttestationError(.criticalExtensionUnknown) }
    }

    /// Step 6 for the leaf.
    private static func checkLeaf(_ leaf: X509Certificate) throws(AttestationError) {
        guard case .notCertificateAuthority? = leaf.basicConstraints?.constraints else {
            throw AttestationError(.leafIsAuthority)
        }
        guard leaf.keyUsage?.digitalSignature == true else { throw AttestationError(.leafKeyUsage) }
        guard leaf.understandsCriticalExtensions else { throw AttestationError(.criticalExtensionUnknown) }
    }

    /// Step 7: both ends belong to the validity (RFC 5280, 4.1.2.5), and a fraction of a second later does not.
    private static func checkValidity(
        _ leaf: X509Certificate, _ intermediate: VerifiedIntermediate, at moment: Date
    ) throws(AttestationError) {
        func check(
            _ certificate: X509Certificate, early: AttestationError.Code, late: AttestationError.Code
        ) throws(AttestationError) {
            guard certificate.notBefore <= moment else { throw AttestationError(early) }
            guard moment <= certificate.notAfter else { throw AttestationError(late) }
        }
        try check(leaf, early: .leafNotYetValid, late: .leafExpired)
        try check(intermediate.certificate, early: .intermediateNotYetValid, late: .intermediateExpired)
        try check(intermediate.root.certificate, early: .rootNotYetValid, late: .rootExpired)
    }
}
