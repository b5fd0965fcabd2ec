package import CaptureModel
import Crypto
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A root certificate that chains may end in: configured beforehand, never taken from an attestation.
///
/// ```swift
/// let policy = AttestationPolicy(appIDs: [app], roots: [.appleAppAttestation])
/// ```
///
/// Two are equal when their certificates are equal byte by byte.
public struct TrustRoot: Sendable {
    /// The subject's common name, or its whole name if it has none.
    ///
    /// U+FFFD stands in it for U+0000, which a database's text may not hold.
    public let name: String
    /// SHA-256 over the certificate's DER, as 64 lower-case hexadecimal digits.
    public let sha256: String

    let certificate: X509Certificate
    let key: Certificate.PublicKey
    /// How many authorities may stand below (RFC 5280, 4.2.1.9); `nil` where the certificate sets no bound.
    private let pathLength: Int?

    /// Its name in records: name and certificate, `<name> sha256:<digest>`.
    package var recordedName: String { "\(name) sha256:\(sha256)" }

    /// The last moment of its validity.
    package var end: Timestamp { Timestamp(certificate.notAfter) }

    /// Whether both certificates belong to one authority, by name and key, as those of a renewed root do.
    package func isOfSameAuthority(as other: TrustRoot) -> Bool {
        certificate.subject == other.certificate.subject && key == other.key
    }

    /// Whether a moment is within its validity, both ends included (RFC 5280, 4.1.2.5).
    func isInForce(at moment: Date) -> Bool { certificate.notBefore <= moment && moment <= certificate.notAfter }

    /// Whether `count` authorities may stand between it and the last certificate.
    func allows(authoritiesBelow count: Int) -> Bool { pathLength.map { count <= $0 } ?? true }

    /// Reads exactly one certificate in PEM, of an authority with a key of P-256, P-384 or P-521.
    ///
    /// A certificate without basic constraints, as old roots have none, is taken for an authority's.
    ///
    /// - Throws: ``AttestationError`` with `ROOT_MALFORMED`.
    public init(pem: String) throws(AttestationError) {
        do {
            let document = try PEMDocument(pemString: pem)
            guard document.discriminator == "CERTIFICATE" else { throw X509Certificate.Malformed() }
            try self.init(der: document.derBytes)
        } catch {
            throw AttestationError(.rootMalformed)
        }
    }

    private init(der: [UInt8]) throws {
        let parsed = try Certificate(derEncoded: der)
        certificate = try X509Certificate(der: der)
        key = parsed.publicKey
        guard Self.isECDSA(key) else { throw X509Certificate.Malformed() }
        sha256 = SHA256.hash(data: der).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        let commonName = parsed.subject.lazy.flatMap { $0 }.first { $0.type == .RDNAttributeType.commonName }
        let subject = commonName.flatMap { String($0.value) } ?? parsed.subject.description
        name = subject.replacing("\0", with: "\u{FFFD}")
        pathLength = try Self.pathLength(of: certificate)
    }

    /// Whether a key is of the only kind whose signatures `X509Certificate.isSigned(by:)` knows.
    private static func isECDSA(_ key: Certificate.PublicKey) -> Bool {
        P256.Signing.PublicKey(key) != nil || P384.Signing.PublicKey(key) != nil || P521.Signing.PublicKey(key) != nil
    }

    /// Throws `X509Certificate.Malformed` if the constraints say that it is no authority, or cannot be read.
    private static func pathLength(of certificate: X509Certificate) throws -> Int? {
        guard certificate.extension(.X509ExtensionID.basicConstraints) != nil else { return nil }
        guard case .isCertificateAuthority(let maxPathLength)? = certificate.basicConstraints?.constraints else {
            throw X509Certificate.Malformed()
        }
        return maxPathLength
    }
}

extension TrustRoot: Hashable {
    /// Whether both are the same certificate.
    public static func == (one: TrustRoot, other: TrustRoot) -> Bool { one.certificate.der == other.certificate.der }

    /// Feeds the certificate's digest to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(sha256) }
}
