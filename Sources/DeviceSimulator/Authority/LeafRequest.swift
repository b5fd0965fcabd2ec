import Crypto
import FoundationEssentials
import X509

/// The contents of a leaf certificate; the defaults are those of Apple's.
struct LeafRequest {
    /// The form of the nonce in the certificate.
    enum NonceForm {
        /// As Apple writes it.
        case apple
        /// The nonce is missing.
        case missing
        /// Only the octet string, without what surrounds it.
        case bare
        /// The right bytes at the end of a longer value.
        case behindJunk
    }

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
    /// The form of the nonce.
    var nonceForm = NonceForm.apple
    /// Start of the three days of validity.
    var notBefore: Date
    /// Whether it claims to be a certificate authority.
    var isAuthority = false
    /// Whether the root signs it instead of the intermediate.
    var signedByRoot = false

    /// Apple's certificates begin a day before they are made and last three days.
    static func notBefore(issuedAt moment: Date) -> Date { moment.addingTimeInterval(-24 * 3600) }
    static let validity: TimeInterval = 3 * 24 * 3600

    /// The extensions in Apple's order, with the extended key usage and access rules of 2026.
    func extensions() throws -> [Certificate.Extension] {
        var list = [
            try Certificate.Extension(
                isAuthority ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority,
                critical: true
            ),
            try Certificate.Extension(
                KeyUsage(digitalSignature: true, nonRepudiation: true, keyEncipherment: true, dataEncipherment: true),
                critical: true
            ),
        ]
        list.append(try AppleExtension.usage())
        list.append(try AppleExtension.key(appID: appID))
        list.append(try AppleExtension.system(version: systemVersion))
        switch nonceForm {
        case .apple: list.append(try AppleExtension.nonce(nonce))
        case .missing: break
        case .bare: list.append(AppleExtension.raw(AppleExtension.nonceIdentifier, [0x04, 0x20] + nonce))
        case .behindJunk:
            let junk = [UInt8](repeating: 0, count: 6)
            list.append(AppleExtension.raw(AppleExtension.nonceIdentifier, [0x04, 0x26] + junk + nonce))
        }
        list.append(AppleExtension.access)
        return list
    }
}
