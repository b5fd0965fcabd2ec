import SwiftASN1
import X509

extension ASN1ObjectIdentifier {
    /// The nonce that binds the leaf to authenticator data and challenge.
    static let appAttestNonce: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]
    /// Properties of the key, the app id among them.
    static let appAttestKeyProperties: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 5]
    /// The key's access control list, from iOS 26 on.
    static let appAttestAccessControl: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 6]
    /// The device's system, including its version.
    static let appAttestSystem: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 7]
}

extension X509Certificate {
    /// The DER header before the 32 bytes of the nonce in an Apple leaf: SEQUENCE, context tag 1, OCTET STRING.
    private static let nonceHeader: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]

    /// The nonce, accepted only in this one encoding: a search would also find it inside of junk.
    func nonce() throws(AttestationError) -> ArraySlice<UInt8> {
        guard let value = `extension`(.appAttestNonce)?.value else { throw AttestationError(.nonceMissing) }
        guard value.count == Self.nonceHeader.count + 32, value.starts(with: Self.nonceHeader) else {
            throw AttestationError(.nonceMalformed)
        }
        return value.suffix(32)
    }

    /// The app id that Apple certified next to the key; `nil` when absent or not written as in all known leaves.
    var certifiedAppID: [UInt8]? { octets(in: .appAttestKeyProperties, tag: 1204) }

    /// The version of iOS; `nil` when absent, empty as in a leaf of iOS 14, with U+0000, or not written as in all known
    /// leaves.
    var systemVersion: String? {
        let text = octets(in: .appAttestSystem, tag: 1400).flatMap { String(validating: $0, as: UTF8.self) }
        // An empty text names no version; kept as one, it would replace a version that was named.
        return text.flatMap { $0.isEmpty ? nil : $0.storable }
    }

    /// The key's access control list as DER; `nil` when absent, as on iOS before 26.
    var accessControl: ArraySlice<UInt8>? { `extension`(.appAttestAccessControl)?.value }

    /// The OCTET STRING under an explicit context tag in a SEQUENCE of tagged values.
    private func octets(in oid: ASN1ObjectIdentifier, tag: UInt) -> [UInt8]? {
        guard let value = `extension`(oid)?.value else { return nil }
        // Apple documents neither extension, so one of unknown structure counts as absent.
        return try? DER.sequence(try DER.parse(value), identifier: .sequence) { nodes in
            var found: [UInt8]?
            while let node = nodes.next() {
                guard node.identifier == ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific),
                    case .constructed(let children) = node.content
                else { continue }
                found = children.first { $0.identifier == .octetString }.flatMap { child in
                    if case .primitive(let bytes) = child.content { Array(bytes) } else { nil }
                }
            }
            return found
        }
    }
}
