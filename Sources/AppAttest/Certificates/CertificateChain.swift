import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A leaf and the pinned root that its intermediate ends in, after steps 4 to 7.
struct CertificateChain: Sendable {
    let leaf: X509Certificate
    /// The first pinned root that has signed the intermediate and is valid at the moment.
    let root: TrustRoot
}

/// Builds chains to the pinned roots: two links, spelled out, with nothing to search and nothing to download.
struct CertificateChainVerifier: Sendable {
    let roots: [TrustRoot]
    let cache: IntermediateCache

    /// Verifies names, signatures, constraints and validity at a moment, in this order.
    func verify(
        leaf leafDER: [UInt8], intermediate intermediateDER: [UInt8], at moment: Date
    ) throws(AttestationError) -> CertificateChain {
        // Step 4. A cached intermediate is already parsed and verified; only its validity changes with time.
        let leaf = try Self.parse(leafDER)
        let cached = cache.find(intermediateDER)
        let certificate: X509Certificate
        if let cached { certificate = cached.certificate } else { certificate = try Self.parse(intermediateDER) }

        // Step 5. The leaf's link first: its reason says more about an attestation assembled from parts of others.
        guard leaf.issuer == certificate.subject else { throw AttestationError(.leafIssuerMismatch) }
        guard let key = cached?.key ?? certificate.publicKey, leaf.isSigned(by: key) else {
            throw AttestationError(.leafSignatureInvalid)
        }
        let intermediate: VerifiedIntermediate
        if let cached {
            intermediate = cached
        } else {
            let usable = try Self.checkIntermediate(certificate, below: try signers(of: certificate))
            intermediate = VerifiedIntermediate(certificate: certificate, key: key, roots: usable)
            cache.insert(intermediate)
        }
        try Self.checkLeaf(leaf)
        let root = try Self.checkValidity(leaf, intermediate, at: moment)
        return CertificateChain(leaf: leaf, root: root)
    }

    private static func parse(_ der: [UInt8]) throws(AttestationError) -> X509Certificate {
        do {
            return try X509Certificate(der: der)
        } catch {
            throw AttestationError(.certificateMalformed)
        }
    }

    /// Step 5, second link: every root that has the issuer's name and signed the intermediate.
    ///
    /// A root that is renewed before it expires keeps its name and key, so both of its certificates match.
    private func signers(of intermediate: X509Certificate) throws(AttestationError) -> [TrustRoot] {
        let named = roots.filter { $0.certificate.subject == intermediate.issuer }
        guard !named.isEmpty else { throw AttestationError(.intermediateIssuerMismatch) }
        let signers = named.filter { intermediate.isSigned(by: $0.key) }
        guard !signers.isEmpty else { throw AttestationError(.intermediateSignatureInvalid) }
        return signers
    }

    /// Step 6 for the authority (RFC 5280, 4.2.1.9 and 4.2.1.3); returns the signers that allow an authority below.
    private static func checkIntermediate(
        _ certificate: X509Certificate, below signers: [TrustRoot]
    ) throws(AttestationError) -> [TrustRoot] {
        guard let (isCritical, constraints) = certificate.basicConstraints else {
            throw AttestationError(.intermediateConstraintsMissing)
        }
        guard isCritical, case .isCertificateAuthority = constraints else {
            throw AttestationError(.intermediateNotAuthority)
        }
        guard certificate.keyUsage?.keyCertSign == true else { throw AttestationError(.intermediateKeyUsage) }
        let usable = signers.filter { $0.allows(authoritiesBelow: 1) }
        guard !usable.isEmpty else { throw AttestationError(.pathTooLong) }
        guard certificate.understandsCriticalExtensions else { throw AttestationError(.criticalExtensionUnknown) }
        return usable
    }

    /// Step 6 for the leaf.
    private static func checkLeaf(_ leaf: X509Certificate) throws(AttestationError) {
        guard case .notCertificateAuthority? = leaf.basicConstraints?.constraints else {
            throw AttestationError(.leafIsAuthority)
        }
        guard leaf.keyUsage?.digitalSignature == true else { throw AttestationError(.leafKeyUsage) }
        guard leaf.understandsCriticalExtensions else { throw AttestationError(.criticalExtensionUnknown) }
    }

    /// Step 7: the validity includes both ends (RFC 5280, 4.1.2.5), but not a fraction of a second after the last.
    ///
    /// Returns the first valid root; when none is valid, the error is that of the first one.
    private static func checkValidity(
        _ leaf: X509Certificate, _ intermediate: VerifiedIntermediate, at moment: Date
    ) throws(AttestationError) -> TrustRoot {
        func check(
            _ certificate: X509Certificate, early: AttestationError.Code, late: AttestationError.Code
        ) throws(AttestationError) {
            guard certificate.notBefore <= moment else { throw AttestationError(early) }
            guard moment <= certificate.notAfter else { throw AttestationError(late) }
        }
        try check(leaf, early: .leafNotYetValid, late: .leafExpired)
        try check(intermediate.certificate, early: .intermediateNotYetValid, late: .intermediateExpired)
        if let root = intermediate.roots.first(where: { $0.isInForce(at: moment) }) { return root }
        let isEarly = intermediate.roots.first.map { moment < $0.certificate.notBefore } ?? false
        throw AttestationError(isEarly ? .rootNotYetValid : .rootExpired)
    }
}
