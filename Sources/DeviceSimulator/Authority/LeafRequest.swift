import Crypto
import FoundationEssentials
import X509

/// The contents of a leaf certificate of Apple's shape.
struct LeafRequest {
    /// The key's id: the subject's common name in hexadecimal.
    var keyID: [UInt8]
    /// The attested key.
    var publicKey: P256.Signing.PublicKey
    /// The app that asked for the attestation.
    var appID: String
    /// The system's version.
    var systemVersion: String
    /// The nonce over authenticator data and clientDataHash.
    var nonce: [UInt8]
    /// Start of the three days of validity.
    var notBefore: Date

    /// Apple's certificates begin a day before they are made and last three days.
    static func notBefore(issuedAt moment: Date) -> Date { moment.addingTimeInterval(-24 * 3600) }
    static let validity: TimeInterval = 3 * 24 * 3600

    /// The extensions in Apple's order, with the extended key usage and access rules of 2026.
    func extensions() throws -> [Certificate.Extension] {
        [
            try Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true),
            try Certificate.Extension(
                KeyUsage(digitalSignature: true, nonRepudiation: true, keyEncipherment: true, dataEncipherment: true),
                critical: true
            ),
            try AppleExtension.usage(),
            try AppleExtension.key(appID: appID),
            try AppleExtension.system(version: systemVersion),
            try AppleExtension.nonce(nonce),
            AppleExtension.access,
        ]
    }
}
