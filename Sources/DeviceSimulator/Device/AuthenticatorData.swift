import CBOR
import CaptureModel
import Crypto

/// The authenticator data of attestations and assertions (WebAuthn section 6.1, as Apple fills it in).
struct AuthenticatorData {
    var appID: String
    /// Attested credential data follows, as Apple says of assertions as well.
    var flags: UInt8 = 0x40
    var counter: UInt32
    /// Attested credential data, in attestations only.
    var credential: [UInt8] = []
    var extensions: [UInt8] = []

    /// The bytes as they are signed.
    var bytes: [UInt8] {
        Array(SHA256.hash(data: Array(appID.utf8))) + [flags] + Self.bigEndian(counter) + credential + extensions
    }

    /// Sets extensions and flag as a release of iOS does.
    mutating func extend(_ format: WireFormat, _ statements: AppExtensions) {
        guard format != .plain else { return }
        // Extensions follow; Apple does not always set this flag.
        if format == .extensionsFlagged { flags |= 0x80 }
        let category = Self.bigEndian(statements.validationCategory).reversed()
        extensions = CBORValue([
            "apple_bundle_version_01": .text(statements.bundleVersion),
            "apple_validation_category_01": .bytes(Array(category)),
        ]).encode()
    }

    /// AAGUID, credential id with its length, and COSE key (RFC 9053 section 7.1.1).
    static func credential(aaguid: [UInt8], id: [UInt8], publicKey: [UInt8]) -> [UInt8] {
        // Key type EC2, algorithm ES256, curve P-256, x, y.
        let cose = CBORValue.map([
            .init(.init(1), .init(2)), .init(.init(3), .init(-7)), .init(.init(-1), .init(1)),
            .init(.init(-2), .bytes(Array(publicKey[1..<33]))), .init(.init(-3), .bytes(Array(publicKey[33..<65]))),
        ]).encode()
        return aaguid + [0, UInt8(id.count)] + id + cose
    }

    /// `appattest` and seven zeros, or `appattestdevelop`.
    static func aaguid(_ environment: KeyEnvironment) -> [UInt8] {
        switch environment {
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        case .development: Array("appattestdevelop".utf8)
        }
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}
