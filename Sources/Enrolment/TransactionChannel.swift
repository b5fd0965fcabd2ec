package import Crypto
import FoundationEssentials

/// One message between a device and the holder of a transaction key: X25519 → HKDF-SHA256 → ChaCha20-Poly1305.
///
/// ```
/// secret = X25519(own private key, the other's public key)                              RFC 7748
/// key    = HKDF-SHA256(secret, salt: device key ‖ transaction key, info: purpose, 32)   RFC 5869
/// sealed = ChaCha20-Poly1305(key, nonce: 12 bytes, message, aad: session ‖ "|" ‖ key id)   RFC 8439
/// ```
/// Public keys are their 32 bytes; purpose, session and key id are ASCII, both ids in lower case; `sealed` is the
/// ciphertext followed by the tag of 16 bytes. The purpose tells a password from a credential, and the two ids bind a
/// message to the one enrolment and the one key that it is meant for.
package struct TransactionChannel: Sendable {
    /// The kind of a message.
    package enum Purpose: String, CaseIterable, Sendable {
        /// A password hash, from the device.
        case password = "capture-enrolment password v1"
        /// A credential, to the device.
        case credential = "capture-enrolment credential v1"
    }

    /// Why a message cannot be sealed or opened.
    package enum Fault: Error, CaseIterable, Sendable {
        /// A public key is not 32 bytes, or one of the few that yield no secret.
        case publicKey
        /// The nonce is not 12 bytes.
        case nonce
        /// The message was sealed with other keys or for another purpose, or was changed on its way.
        case seal
    }

    /// Bytes of a public key.
    package static let keyBytes = 32
    /// Bytes of a nonce.
    package static let nonceBytes = 12
    /// Bytes that sealing adds to a message.
    package static let tagBytes = 16

    private let key: SymmetricKey
    private let context: [UInt8]

    /// The channel of the holder of the transaction key.
    package init(
        _ purpose: Purpose, session: EnrolmentID, keyID: TransactionKeyID,
        transactionKey: Curve25519.KeyAgreement.PrivateKey, device: [UInt8]
    ) throws(Fault) {
        try self.init(
            purpose, session, keyID, own: transactionKey, other: device,
            salt: device + transactionKey.publicKey.rawRepresentation)
    }

    /// The channel of the device.
    package init(
        _ purpose: Purpose, session: EnrolmentID, keyID: TransactionKeyID,
        device: Curve25519.KeyAgreement.PrivateKey, transactionKey: [UInt8]
    ) throws(Fault) {
        try self.init(
            purpose, session, keyID, own: device, other: transactionKey,
            salt: device.publicKey.rawRepresentation + transactionKey)
    }

    private init(
        _ purpose: Purpose, _ session: EnrolmentID, _ keyID: TransactionKeyID,
        own: Curve25519.KeyAgreement.PrivateKey, other: [UInt8], salt: some Sequence<UInt8>
    ) throws(Fault) {
        do {
            let secret = try own.sharedSecretFromKeyAgreement(
                with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: other))
            // RFC 7748 section 6.1: with a few public keys the secret is all zeros, whatever the private key is.
            guard secret.withUnsafeBytes({ $0.reduce(0, |) }) != 0 else { throw Fault.publicKey }
            key = secret.hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: Array(salt), sharedInfo: Array(purpose.rawValue.utf8), outputByteCount: 32)
        } catch {
            throw .publicKey
        }
        context = Array("\(session)|\(keyID)".utf8)
    }

    /// Seals a message: ciphertext and tag.
    ///
    /// A nonce is used once for each pair of keys and purpose.
    package func seal(_ message: [UInt8], nonce: [UInt8]) throws(Fault) -> [UInt8] {
        let nonce = try Self.nonce(nonce)
        do {
            let box = try ChaChaPoly.seal(message, using: key, nonce: nonce, authenticating: context)
            return Array(box.ciphertext + box.tag)
        } catch {
            throw .seal
        }
    }

    /// Opens a message that the other side has sealed.
    package func open(_ sealed: [UInt8], nonce: [UInt8]) throws(Fault) -> [UInt8] {
        let nonce = try Self.nonce(nonce)
        guard sealed.count >= Self.tagBytes else { throw .seal }
        do {
            let box = try ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(Self.tagBytes), tag: sealed.suffix(Self.tagBytes))
            return Array(try ChaChaPoly.open(box, using: key, authenticating: context))
        } catch {
            throw .seal
        }
    }

    private static func nonce(_ bytes: [UInt8]) throws(Fault) -> ChaChaPoly.Nonce {
        guard bytes.count == nonceBytes, let nonce = try? ChaChaPoly.Nonce(data: bytes) else { throw .nonce }
        return nonce
    }
}
