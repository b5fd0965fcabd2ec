import CaptureModel
package import Crypto
import Enrolment

/// A phone that enrols: a simulated device, and its X25519 key for the messages with transaction keys.
package struct EnrollingDevice: Sendable {
    /// The Argon2id hash of "correct horse battery staple" with the salt 00 … 0f, used by default.
    package static let passwordHash =
        "$argon2id$v=19$m=65536,t=3,p=4$AAECAwQFBgcICQoLDA0ODw$hTsnKkTbFCHAKWJmmlXrCZTzyrOF7RxMeSU+7hm6tJ4"

    /// The phone whose key is attested.
    package let phone: SimulatedDevice
    private let key: Curve25519.KeyAgreement.PrivateKey

    /// Takes a phone.
    /// - Parameter key: The X25519 key; a new one by default.
    package init(
        _ phone: SimulatedDevice, key: Curve25519.KeyAgreement.PrivateKey = Curve25519.KeyAgreement.PrivateKey()
    ) {
        self.phone = phone
        self.key = key
    }

    /// A sealed password hash for sending: the phone's public key, ciphertext, tag.
    /// - Parameters:
    ///   - session: The enrolment session's id.
    ///   - keyID: The id of the transaction key for the password.
    ///   - transactionKey: Its public half.
    /// - Throws: `ENROLMENT`.
    package func seal(
        passwordHash: String, session: String, keyID: String, transactionKey: [UInt8], nonce: [UInt8]
    ) throws(SimulatorError) -> [UInt8] {
        let channel = try channel(.password, session, keyID, transactionKey)
        do {
            return try Array(key.publicKey.rawRepresentation) + channel.seal(Array(passwordHash.utf8), nonce: nonce)
        } catch {
            throw SimulatorError(.enrolment, "the password hash cannot be sealed")
        }
    }

    /// Opens a credential that was sealed for this phone.
    /// - Throws: `ENROLMENT`.
    package func open(
        credential: [UInt8], session: String, keyID: String, transactionKey: [UInt8], nonce: [UInt8]
    ) throws(SimulatorError) -> [UInt8] {
        let channel = try channel(.credential, session, keyID, transactionKey)
        do { return try channel.open(credential, nonce: nonce) } catch {
            throw SimulatorError(.enrolment, "the credential does not open")
        }
    }

    private func channel(
        _ purpose: TransactionChannel.Purpose, _ session: String, _ keyID: String, _ transactionKey: [UInt8]
    ) throws(SimulatorError) -> TransactionChannel {
        guard let session = EnrolmentID(session), let keyID = TransactionKeyID(keyID) else {
            throw SimulatorError(.enrolment, "session and key have UUIDs")
        }
        do {
            return try TransactionChannel(
                purpose, session: session, keyID: keyID, device: key, transactionKey: transactionKey)
        } catch {
            throw SimulatorError(.enrolment, "there is no secret with this transaction key")
        }
    }
}
