import Crypto
import SwiftASN1
import X509

extension X509Certificate {
    /// The key, if swift-certificates knows its kind and curve, and all of its bits count.
    var publicKey: Certificate.PublicKey? {
        // The kind of error does not matter: an unreadable key verifies nothing.
        guard (try? keyBits())?.paddingBits == 0 else { return nil }
        return try? Certificate.PublicKey(derEncoded: subjectPublicKeyInfo)
    }

    /// The key's bits: swift-certificates takes them as if the number of those that do not count were 0.
    private func keyBits() throws -> ASN1BitString {
        try DER.sequence(try DER.parse(subjectPublicKeyInfo), identifier: .sequence) { nodes in
            _ = nodes.next()
            return try ASN1BitString(derEncoded: &nodes)
        }
    }

    /// The key, if it is one of P-256.
    var p256PublicKey: P256.Signing.PublicKey? { publicKey.flatMap { P256.Signing.PublicKey($0) } }

    /// Whether the holder of a key signed this certificate, with ECDSA and a hash of the SHA-2 family.
    func isSigned(by key: Certificate.PublicKey) -> Bool {
        guard let algorithm = Self.ecdsa[Array(signatureAlgorithm)] else { return false }
        return key.isValidSignature(signature, for: signedBytes, signatureAlgorithm: algorithm)
    }

    /// The subject's common name; empty when there is no readable one.
    var commonName: String {
        guard let name = try? DistinguishedName(derEncoded: try DER.parse(subject)) else { return "" }
        let found = name.lazy.flatMap { $0 }.first { $0.type == .RDNAttributeType.commonName }
        return found.flatMap { String($0.value) } ?? ""
    }

    func `extension`(_ oid: ASN1ObjectIdentifier) -> Certificate.Extension? {
        extensions.first { $0.oid == oid }
    }

    /// The certificate's basic constraints; `nil` when there are no readable ones.
    var basicConstraints: (isCritical: Bool, constraints: BasicConstraints)? {
        guard let found = `extension`(.X509ExtensionID.basicConstraints),
            let constraints = try? BasicConstraints(found)
        else { return nil }
        return (found.critical, constraints)
    }

    /// The allowed usages of the key; `nil` when there is no readable statement of them.
    var keyUsage: KeyUsage? {
        `extension`(.X509ExtensionID.keyUsage).flatMap { try? KeyUsage($0) }
    }

    /// Whether this library checks each critical extension, or may ignore it by Apple's rules.
    ///
    /// The extended key usage is ignored: some leaves had none, others had some, and no usage is defined for this
    /// purpose.
    var understandsCriticalExtensions: Bool {
        extensions.allSatisfy { !$0.critical || Self.understood.contains($0.oid) }
    }

    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .appAttestNonce, .appAttestKeyProperties, .appAttestAccessControl, .appAttestSystem,
    ]

    /// The three algorithm identifiers of RFC 5758, 3.2, without parameters, as DER.
    private static let ecdsa: [[UInt8]: Certificate.SignatureAlgorithm] = [
        [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]: .ecdsaWithSHA256,
        [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03]: .ecdsaWithSHA384,
        [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x04]: .ecdsaWithSHA512,
    ]
}
