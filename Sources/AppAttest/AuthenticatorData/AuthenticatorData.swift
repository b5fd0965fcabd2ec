import CBOR

/// The bytes that a device signs over itself (WebAuthn, 6.1, as App Attest uses it).
///
/// ```
/// offset  count  field
///      0     32  SHA-256 of the app id
///     32      1  flags: 0x40 AT, 0x80 ED
///     33      4  counter, big-endian
///     37     16  AAGUID                                  attestations only
///     53      2  length of the credential id: 32         attestations only
///     55     32  credential id: the key id               attestations only
///     87     77  the public key as a COSE key            attestations only
///      …      …  one CBOR map of extensions, or nothing  iOS 27 and later
/// ```
///
/// Neither flag tells what follows: assertions set AT without a credential, and Apple's sample of 2026 has extensions
/// with ED clear. So the kind of object decides whether there is a credential, and remaining bytes are the extensions.
struct AuthenticatorData: Sendable {
    let bytes: [UInt8]
    let flags: UInt8
    let counter: UInt32
    let credential: AttestedCredential?
    let extensions: AuthenticatorExtensions?

    /// The part that only attestations have.
    struct AttestedCredential: Sendable {
        let aaguid: ArraySlice<UInt8>
        let credentialID: ArraySlice<UInt8>
        let publicKey: COSEKey
    }

    /// The first rule that the bytes break; attestations and assertions map it to a code of their own.
    enum Fault: Error {
        case short
        case credentialMissing
        case credentialIDLength
        case keyMalformed(CBORError)
        case keyUnsupported
        case extensionsMalformed(CBORError)
        case extensionsTrailingBytes
        case extensionsNotAMap
        case extensionsMissing
    }

    /// How many bytes there are without credential and extensions.
    static let headerBytes = 37

    private static let attestedFlag: UInt8 = 0x40
    private static let extensionsFlag: UInt8 = 0x80
    private static let limits = CBORLimits(depthMax: 4, itemsMax: 256)

    var rpIDHash: ArraySlice<UInt8> { bytes[..<32] }

    /// Reads all the bytes.
    init(_ bytes: [UInt8], isAttestation: Bool) throws(Fault) {
        guard bytes.count >= Self.headerBytes else { throw .short }
        self.bytes = bytes
        flags = bytes[32]
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var end = Self.headerBytes
        credential = isAttestation ? try Self.credential(in: bytes, flags: flags, end: &end) : nil
        if end < bytes.count {
            extensions = try Self.extensions(in: bytes, from: end)
        } else {
            guard flags & Self.extensionsFlag == 0 else { throw .extensionsMissing }
            extensions = nil
        }
    }

    private static func credential(
        in bytes: [UInt8], flags: UInt8, end: inout Int
    ) throws(Fault) -> AttestedCredential {
        guard flags & attestedFlag != 0 else { throw .credentialMissing }
        guard bytes.count >= 55 else { throw .short }
        guard bytes[53] == 0, bytes[54] == 32 else { throw .credentialIDLength }
        guard bytes.count >= 87 else { throw .short }
        let key: CBORValue
        do throws(CBORError) {
            (key, end) = try CBORValue.decodePrefix(bytes, from: 87, limits: limits)
        } catch {
            throw .keyMalformed(error)
        }
        guard let publicKey = COSEKey(key) else { throw .keyUnsupported }
        return AttestedCredential(aaguid: bytes[37..<53], credentialID: bytes[55..<87], publicKey: publicKey)
    }

    private static func extensions(in bytes: [UInt8], from start: Int) throws(Fault) -> AuthenticatorExtensions {
        let (value, end): (CBORValue, Int)
        do throws(CBORError) {
            (value, end) = try CBORValue.decodePrefix(bytes, from: start, limits: limits)
        } catch {
            throw .extensionsMalformed(error)
        }
        guard end == bytes.count else { throw .extensionsTrailingBytes }
        guard let extensions = AuthenticatorExtensions(value) else { throw .extensionsNotAMap }
        return extensions
    }
}
