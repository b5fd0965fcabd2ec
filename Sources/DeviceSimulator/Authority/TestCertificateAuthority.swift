import CaptureModel
import Crypto
package import FoundationEssentials
import SwiftASN1
import X509

/// Stands in for Apple's App Attestation CA in tests and on local stacks.
///
/// It has a root and an intermediate with P-384 keys and pathLenConstraint 0, as Apple's have, and mints leaf
/// certificates of Apple's shape for ``SimulatedDevice/attest(clientDataHash:authority:at:flaw:)``. Every name in it
/// says that it is a test. A verifier trusts it only when its configuration names ``rootPEM`` as a trust root.
package struct TestCertificateAuthority: Sendable {
    /// The root as PEM, for a verifier's configuration.
    package let rootPEM: String

    let root: Certificate
    let rootKey: P384.Signing.PrivateKey
    let intermediate: Certificate
    let intermediateKey: P384.Signing.PrivateKey

    /// Makes a new authority that is valid for ten years from a day before the moment given.
    /// - Parameters:
    ///   - name: Added to the names of both certificates, after `TEST ONLY`.
    /// - Throws: `CERTIFICATE`.
    package init(name: String = "App Attestation", at moment: Date) throws(SimulatorError) {
        let rootKey = P384.Signing.PrivateKey()
        let intermediateKey = P384.Signing.PrivateKey()
        let notBefore = LeafRequest.notBefore(issuedAt: moment)
        do {
            let rootName = try Self.distinguishedName("TEST ONLY \(name) Root CA")
            let root = try Self.authority(
                subject: rootName, key: rootKey.publicKey, issuer: rootName, issuerKey: rootKey, pathLength: nil,
                notBefore: notBefore
            )
            let intermediate = try Self.authority(
                subject: try Self.distinguishedName("TEST ONLY \(name) CA 1"), key: intermediateKey.publicKey,
                issuer: rootName, issuerKey: rootKey, pathLength: 0, notBefore: notBefore
            )
            try self.init(root: root, rootKey: rootKey, intermediate: intermediate, intermediateKey: intermediateKey)
        } catch {
            throw SimulatorError(.certificate, "the test certificate authority could not be made")
        }
    }

    init(
        root: Certificate, rootKey: P384.Signing.PrivateKey, intermediate: Certificate,
        intermediateKey: P384.Signing.PrivateKey
    ) throws {
        self.rootPEM = try root.serializeAsPEM().pemString + "\n"
        self.root = root
        self.rootKey = rootKey
        self.intermediate = intermediate
        self.intermediateKey = intermediateKey
    }

    /// Mints a leaf certificate and returns it as DER.
    func mint(_ request: LeafRequest) throws(SimulatorError) -> [UInt8] {
        do {
            let subject = try DistinguishedName([
                .init(type: .RDNAttributeType.commonName, utf8String: Hex.encode(request.keyID)),
                .init(type: .RDNAttributeType.organizationalUnitName, utf8String: "AAA Certification"),
                .init(type: .RDNAttributeType.organizationName, utf8String: Self.organization),
                .init(type: .RDNAttributeType.stateOrProvinceName, utf8String: "California"),
            ])
            // Apple's serial numbers are the milliseconds of the hour of issue: six bytes.
            let serial = UInt64(max(0, request.notBefore.timeIntervalSince1970 * 1000))
            let leaf = try Certificate(
                version: .v3, serialNumber: .init(serial), publicKey: .init(request.publicKey),
                notValidBefore: request.notBefore,
                notValidAfter: request.notBefore.addingTimeInterval(LeafRequest.validity),
                issuer: intermediate.subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions(request.extensions()),
                issuerPrivateKey: .init(intermediateKey)
            )
            return try Self.der(leaf)
        } catch {
            throw SimulatorError(.certificate, "a leaf certificate could not be made")
        }
    }

    /// Mints the certificate that signs receipts, with Apple's extension for it, and returns it as DER.
    func mintReceiptSigner(
        name: String, key: P256.Signing.PublicKey, notBefore: Date, validity: TimeInterval
    ) throws(SimulatorError) -> [UInt8] {
        do {
            let extensions = try Certificate.Extensions([
                Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true),
                Certificate.Extension(KeyUsage(digitalSignature: true), critical: true),
                AppleExtension.receiptSigning,
            ])
            let signer = try Certificate(
                version: .v3, serialNumber: .init(), publicKey: .init(key), notValidBefore: notBefore,
                notValidAfter: notBefore.addingTimeInterval(validity), issuer: intermediate.subject,
                subject: try Self.distinguishedName(name), signatureAlgorithm: .ecdsaWithSHA256,
                extensions: extensions, issuerPrivateKey: .init(intermediateKey))
            return try Self.der(signer)
        } catch {
            throw SimulatorError(.certificate, "a certificate for receipts could not be made")
        }
    }

    /// The intermediate as DER, the second element of `x5c`.
    var intermediateDER: [UInt8] {
        get throws(SimulatorError) {
            do { return try Self.der(intermediate) } catch {
                throw SimulatorError(.certificate, "the intermediate could not be written as DER")
            }
        }
    }

    /// The root as DER.
    var rootDER: [UInt8] {
        get throws(SimulatorError) {
            do { return try Self.der(root) } catch {
                throw SimulatorError(.certificate, "the root could not be written as DER")
            }
        }
    }

    private static let organization = "Device Simulator, TEST ONLY"

    private static func distinguishedName(_ commonName: String) throws -> DistinguishedName {
        try DistinguishedName([
            .init(type: .RDNAttributeType.commonName, utf8String: commonName),
            .init(type: .RDNAttributeType.organizationName, utf8String: organization),
            .init(type: .RDNAttributeType.stateOrProvinceName, utf8String: "California"),
        ])
    }

    private static func authority(
        subject: DistinguishedName, key: P384.Signing.PublicKey, issuer: DistinguishedName,
        issuerKey: P384.Signing.PrivateKey, pathLength: Int?, notBefore: Date
    ) throws -> Certificate {
        let extensions = try Certificate.Extensions([
            Certificate.Extension(
                BasicConstraints.isCertificateAuthority(maxPathLength: pathLength), critical: true),
            Certificate.Extension(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
        ])
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key), notValidBefore: notBefore,
            notValidAfter: notBefore.addingTimeInterval(3653 * 24 * 3600), issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA384, extensions: extensions, issuerPrivateKey: .init(issuerKey)
        )
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
