import AppAttest
import CBOR
import Crypto
import Foundation
import SwiftASN1
import X509

/// Certifies whatever it is given, with keys that everybody knows and nobody trusts.
///
/// All its keys are on P-256, where Apple's authorities are on P-384: signing is what every input costs.
struct Forge: Sendable {
    /// One for the whole process; `nil` if its certificates could not be made.
    static let shared = try? Forge()

    static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    static let clientDataHash = Array(SHA256.hash(data: Array("challenge".utf8)))
    /// The extensions that an input may bring: nonce, key properties, access control, system, and one of nobody's.
    static let extensions: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 113635, 100, 8, 2], [1, 2, 840, 113635, 100, 8, 5], [1, 2, 840, 113635, 100, 8, 6],
        [1, 2, 840, 113635, 100, 8, 7], [1, 2, 840, 113635, 100, 8, 99],
    ]

    let publicKey: [UInt8]
    let keyID: [UInt8]
    /// Takes what any app may be.
    let lenient: AttestationVerifier
    /// Takes what the App Store distributed, from a version on.
    let strict: AttestationVerifier

    private let authorityKey: P256.Signing.PrivateKey
    private let leafKey: P256.Signing.PublicKey
    private let intermediate: [UInt8]

    private init() throws {
        func key(_ seed: UInt8) throws -> P256.Signing.PrivateKey {
            try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        }
        let rootKey = try key(1)
        authorityKey = try key(2)
        leafKey = try key(3).publicKey
        publicKey = Array(leafKey.x963Representation)
        keyID = Array(SHA256.hash(data: publicKey))
        let authority = [
            try Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
            try Certificate.Extension(KeyUsage(keyCertSign: true), critical: true),
        ]
        let root = try Self.certificate("Fuzz Root", by: "Fuzz Root", rootKey.publicKey, authority, signer: rootKey)
        intermediate = try Self.der(
            Self.certificate("Fuzz CA", by: "Fuzz Root", authorityKey.publicKey, authority, signer: rootKey))
        var policy = AttestationPolicy(
            appIDs: ["TEAM123456.com.example.capture", "TEAM123456.com.example.other"].compactMap(AppID.init),
            environments: [.production, .development],
            roots: [try TrustRoot(pem: root.serializeAsPEM().pemString)])
        lenient = AttestationVerifier(policy: policy)
        policy.validationCategories = [4]
        policy.bundleVersionMinimum = DottedVersion("1.2")
        policy.accessControl = AttestationPolicy.macOS27AccessControl
        strict = AttestationVerifier(policy: policy)
    }

    /// An attestation object of these authenticator data; `nil` when no certificate can carry the extensions.
    func attestation(_ data: [UInt8], _ extensions: [Certificate.Extension]) -> [UInt8]? {
        var extensions = extensions
        if !extensions.contains(where: { $0.oid == Self.extensions[0] }) {
            let nonce = Array(SHA256.hash(data: data + Self.clientDataHash))
            let value: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce
            extensions.append(.init(oid: Self.extensions[0], critical: false, value: value[...]))
        }
        do {
            extensions.append(try Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true))
            extensions.append(try Certificate.Extension(KeyUsage(digitalSignature: true), critical: true))
            let leaf = try Self.certificate("leaf", by: "Fuzz CA", leafKey, extensions, signer: authorityKey)
            let chain = CBORValue.array([.bytes(try Self.der(leaf)), .bytes(intermediate)])
            return CBORValue([
                "fmt": .text("apple-appattest"), "attStmt": CBORValue(["x5c": chain, "receipt": .bytes([1])]),
                "authData": .bytes(data),
            ]).encode()
        } catch {
            return nil
        }
    }

    private static func certificate(
        _ subject: String, by issuer: String, _ key: P256.Signing.PublicKey, _ extensions: [Certificate.Extension],
        signer: P256.Signing.PrivateKey
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(7), publicKey: .init(key),
            notValidBefore: moment.addingTimeInterval(-86_400), notValidAfter: moment.addingTimeInterval(86_400),
            issuer: DistinguishedName { CommonName(issuer) }, subject: DistinguishedName { CommonName(subject) },
            signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(extensions),
            issuerPrivateKey: .init(signer))
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
