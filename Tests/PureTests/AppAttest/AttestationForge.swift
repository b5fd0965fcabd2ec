import AppAttest
import CBOR
import Crypto
import Foundation
import SwiftASN1
import X509

/// Makes attestations from parts that can be set one by one, under a root of its own, so that
/// each check can be reached.
struct AttestationForge: Sendable {
    static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    static let app = AppID("TEAM123456.org.example.camera")!

    var challengeHash = Array(SHA256.hash(data: Array("challenge".utf8)))
    var deviceKey = P256.Signing.PrivateKey()
    let rootKey = P384.Signing.PrivateKey()
    let intermediateKey = P384.Signing.PrivateKey()

    var rootPathLength: Int?
    var rootNotAfter = moment.addingTimeInterval(1e8)
    var rootNotBefore = moment.addingTimeInterval(-1e8)
    var intermediateConstraints = try? Certificate.Extension(
        BasicConstraints.isCertificateAuthority(maxPathLength: 0), critical: true)
    var intermediateUsage = try? Certificate.Extension(KeyUsage(keyCertSign: true), critical: true)
    var intermediateExtra: [Certificate.Extension] = []
    var intermediateNotBefore = moment.addingTimeInterval(-1e7)
    var leafConstraints = try? Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true)
    var leafUsage = try? Certificate.Extension(KeyUsage(digitalSignature: true), critical: true)
    var leafExtra: [Certificate.Extension] = []
    var leafNotBefore = moment.addingTimeInterval(-86_400)
    var leafNotAfter = moment.addingTimeInterval(2 * 86_400)
    var leafKey: Certificate.PublicKey?
    var leafAlgorithm = Certificate.SignatureAlgorithm.ecdsaWithSHA256
    /// Changes the leaf's to-be-signed part before it is signed.
    var editLeaf: @Sendable (inout [UInt8]) -> Void = { _ in }
    /// Replaces the leaf's signature.
    var leafSignature: [UInt8]?
    /// How many bits at the end of the leaf's signature do not count.
    var leafSignaturePadding: UInt8 = 0
    var nonceHeader: [UInt8]? = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]

    var flags: UInt8 = 0x40
    var rpID = app.text
    var counter: UInt32 = 0
    var aaguid = Array("appattest\0\0\0\0\0\0\0".utf8)
    var credentialIDLength: UInt16 = 32
    var credentialID: [UInt8]?
    /// The COSE key's bytes; else that of ``deviceKey``.
    var coseKey: [UInt8]?
    var tail: [UInt8] = []
    /// Changes the authenticator data before the nonce covers them.
    var editData: @Sendable (inout [UInt8]) -> Void = { _ in }

    var receipt: CBORValue? = .bytes([1, 2, 3])
    var certificates: @Sendable ([[UInt8]]) -> CBORValue = { .array($0.map(CBORValue.bytes)) }
    /// Writes the object; the three parts are given.
    var encode: @Sendable (CBORValue, CBORValue, CBORValue) -> [UInt8] = { format, statement, data in
        CBORValue(["fmt": format, "attStmt": statement, "authData": data]).encode()
    }

    var x963: [UInt8] { Array(deviceKey.publicKey.x963Representation) }
    var keyID: [UInt8] { Array(SHA256.hash(data: x963)) }

    static func cose(_ x963: [UInt8]) -> CBORValue {
        .map([
            .init(CBORValue(1), CBORValue(2)), .init(CBORValue(3), CBORValue(-7)), .init(CBORValue(-1), CBORValue(1)),
            .init(CBORValue(-2), .bytes(Array(x963[1..<33]))), .init(CBORValue(-3), .bytes(Array(x963[33..<65]))),
        ])
    }

    func authenticatorData() -> [UInt8] {
        var data = Array(SHA256.hash(data: Array(rpID.utf8))) + [flags]
        data += withUnsafeBytes(of: counter.bigEndian, Array.init)
        data += aaguid + withUnsafeBytes(of: credentialIDLength.bigEndian, Array.init)
        data += (credentialID ?? keyID) + (coseKey ?? Self.cose(x963).encode()) + tail
        editData(&data)
        return data
    }

    func root() throws -> Certificate {
        try certificate(
            subject: "Forge Root", issuer: "Forge Root", key: .init(rootKey.publicKey), rootNotBefore...rootNotAfter,
            [
                Certificate.Extension(
                    BasicConstraints.isCertificateAuthority(maxPathLength: rootPathLength), critical: true),
                Certificate.Extension(KeyUsage(keyCertSign: true), critical: true),
            ],
            signer: rootKey)
    }

    func rootPEM() throws -> String { try root().serializeAsPEM().pemString }

    func trustRoot() throws -> TrustRoot { try TrustRoot(pem: rootPEM()) }

    func attestation() throws -> [UInt8] {
        let data = authenticatorData()
        let nonce = Array(SHA256.hash(data: data + challengeHash))
        let intermediate = try certificate(
            subject: "Forge CA", issuer: "Forge Root", key: .init(intermediateKey.publicKey),
            intermediateNotBefore...Self.moment.addingTimeInterval(1e7),
            [intermediateConstraints, intermediateUsage].compactMap(\.self) + intermediateExtra, signer: rootKey)
        var extensions = [leafConstraints, leafUsage].compactMap(\.self) + leafExtra
        if let nonceHeader {
            extensions.append(
                .init(oid: [1, 2, 840, 113635, 100, 8, 2], critical: false, value: (nonceHeader + nonce)[...]))
        }
        let leaf = try certificate(
            subject: "leaf", issuer: "Forge CA", key: leafKey ?? .init(deviceKey.publicKey),
            leafNotBefore...leafNotAfter,
            extensions, signer: intermediateKey, algorithm: leafAlgorithm)
        var statement: [CBORValue.Entry] = [
            .init(.text("x5c"), certificates([try resigned(leaf), try Self.der(intermediate)]))
        ]
        if let receipt { statement.append(.init(.text("receipt"), receipt)) }
        return encode(.text("apple-appattest"), .map(statement), .bytes(data))
    }

    func verify(at moment: Date = moment, _ change: (inout AttestationPolicy) -> Void = { _ in }) throws
        -> VerifiedAttestation
    {
        var policy = AttestationPolicy(appIDs: [Self.app], roots: [try trustRoot()])
        change(&policy)
        return try AttestationVerifier(policy: policy).verify(
            attestation: attestation(), keyID: keyID, clientDataHash: challengeHash, at: moment)
    }

    private func certificate(
        subject: String, issuer: String, key: Certificate.PublicKey, _ validity: ClosedRange<Date>,
        _ extensions: [Certificate.Extension], signer: P384.Signing.PrivateKey,
        algorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA384
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(7), publicKey: key, notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound, issuer: DistinguishedName { CommonName(issuer) },
            subject: DistinguishedName { CommonName(subject) }, signatureAlgorithm: algorithm,
            extensions: Certificate.Extensions(extensions), issuerPrivateKey: .init(signer))
    }

    /// The leaf with its edited to-be-signed part under a new signature.
    private func resigned(_ leaf: Certificate) throws -> [UInt8] {
        var signed = Array(leaf.tbsCertificateBytes)
        editLeaf(&signed)
        let digest = SHA256.hash(data: signed)
        var signature = try leafSignature ?? Array(intermediateKey.signature(for: digest).derRepresentation)
        // Bits that do not count have to be 0.
        while signature.last.map({ $0 & ((1 << leafSignaturePadding) - 1) }) ?? 0 != 0 {
            signature = Array(try intermediateKey.signature(for: digest).derRepresentation)
        }
        guard leafAlgorithm == .ecdsaWithSHA256 else { return try Self.der(leaf) }
        let body =
            signed + [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
            + Self.tlv(0x03, [leafSignaturePadding] + signature)
        return Self.tlv(0x30, body)
    }

    static func tlv(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
        switch body.count {
        case 0..<128: [tag, UInt8(body.count)] + body
        case 128..<256: [tag, 0x81, UInt8(body.count)] + body
        default: [tag, 0x82, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
        }
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
