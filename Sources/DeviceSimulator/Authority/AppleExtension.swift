import SwiftASN1
import X509

/// The extensions in Apple's leaf certificates of App Attest, with the same bytes except for their values.
enum AppleExtension {
    private static let nonceIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]
    private static let keyIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 5]
    private static let accessIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 6]
    private static let systemIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 7]
    private static let usageIdentifier: ASN1ObjectIdentifier = [2, 5, 29, 37]
    private static let attestationUsage: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 4, 24]

    /// 8.2: the nonce, `SEQUENCE { [1] EXPLICIT OCTET STRING }`, which for 32 bytes begins `30 24 A1 22 04 20`.
    static func nonce(_ nonce: [UInt8]) throws -> Certificate.Extension {
        try tagged(nonceIdentifier, [(1, .octets(nonce))])
    }

    /// 8.5: properties of the key; the app id is under 1204.
    static func key(appID: String) throws -> Certificate.Extension {
        try tagged(
            keyIdentifier,
            [
                (4, .integer(10)), (1200, .integer(0)), (1201, .integer(0)), (1202, .integer(0)), (1203, .integer(0)),
                (1204, .octets(Array(appID.utf8))), (1206, .integer(4)), (1207, .integer(0)), (1209, .integer(0)),
                (1210, .integer(0)), (1211, .integer(0)), (10, .integer(0)),
            ]
        )
    }

    /// 8.7: properties of the system; its version is under 1400.
    static func system(version: String) throws -> Certificate.Extension {
        let text = Array(version.utf8)
        return try tagged(
            systemIdentifier,
            [
                (1400, .octets(text)), (1104, .integer(2)), (1404, .octets(text)), (1405, .octets(text)),
                (1406, .integer(0)), (1412, .integer(1)), (1026, .octets(Array("iphoneos".utf8))),
            ]
        )
    }

    /// 8.6: the key's access rules, the same on every iPhone since iOS 26.2.
    static let access = Certificate.Extension(
        oid: accessIdentifier, critical: false,
        value: [
            0x30, 0x49, 0xA3, 0x47, 0x04, 0x45, 0x30, 0x43, 0x0C, 0x02, 0x31, 0x31, 0x30, 0x3D, 0x30, 0x0A, 0x0C, 0x03,
            0x6F, 0x6B, 0x64, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x09, 0x0C, 0x02, 0x6F, 0x61, 0xA1, 0x03, 0x01, 0x01,
            0xFF, 0x30, 0x0B, 0x0C, 0x04, 0x6F, 0x73, 0x67, 0x6E, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x0B, 0x0C, 0x04,
            0x6F, 0x64, 0x65, 0x6C, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x0A, 0x0C, 0x03, 0x6F, 0x63, 0x6B, 0xA1, 0x03,
            0x01, 0x01, 0xFF,
        ]
    )

    /// The extension that marks the certificates for signing receipts among others of the same authority.
    static let receiptSigning = Certificate.Extension(
        oid: [1, 2, 840, 113635, 100, 12, 15], critical: false, value: [0x05, 0x00])

    /// The extended key usage that leaves carry since January 2026.
    static func usage() throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { try $0.serialize(attestationUsage) }
        return Certificate.Extension(oid: usageIdentifier, critical: false, value: serializer.serializedBytes[...])
    }

    private enum Value {
        case integer(Int)
        case octets([UInt8])
    }

    /// A sequence of explicitly tagged values, as Apple writes its key and system properties.
    private static func tagged(
        _ identifier: ASN1ObjectIdentifier, _ entries: [(UInt, Value)]
    ) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { sequence in
            for (tag, value) in entries {
                let tagIdentifier = ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific)
                try sequence.appendConstructedNode(identifier: tagIdentifier) { entry in
                    switch value {
                    case .integer(let number): try entry.serialize(number)
                    case .octets(let bytes): try entry.serialize(ASN1OctetString(contentBytes: bytes[...]))
                    }
                }
            }
        }
        return Certificate.Extension(oid: identifier, critical: false, value: serializer.serializedBytes[...])
    }
}
