import CaptureModel
import Enrolment
import FoundationEssentials

/// The JSON that begins an enrolment, checked.
struct EnrolmentStartForm: Decodable {
    let invitationCode: String
    let deviceID: String
    let deviceType: String

    enum CodingKeys: String, CodingKey {
        case invitationCode = "invitation_code"
        case deviceID = "device_id"
        case deviceType = "device_type"
    }

    /// The invitation's code and the device; the code is `nil` if the text cannot be one.
    func checked() throws(APIError) -> (code: InvitationCode?, device: DeviceID) {
        guard let device = DeviceID(deviceID) else { throw .invalid("device_id", "must be a UUID") }
        guard deviceType == Device.platformTaken else {
            throw .invalid("device_type", "only \(Device.platformTaken) is supported")
        }
        return (InvitationCode(invitationCode), device)
    }
}

/// The JSON with which a device attests.
///
/// `model` and `has_lidar` may be left out. Without `has_lidar` the sensor counts as there: an absent one would speak
/// against the device's captures.
struct EnrolmentAttestationForm: Decodable {
    let session: String
    let attestationObject: String
    let keyID: String
    let model: String?
    let hasLidar: Bool?

    enum CodingKeys: String, CodingKey {
        case model
        case session = "enrollment_session_id"
        case attestationObject = "attestation_object"
        case keyID = "key_id"
        case hasLidar = "has_lidar"
    }

    /// What a session's device offers, checked but for the challenge, which the session keeps.
    struct Offer: Sendable {
        let session: EnrolmentID
        let evidence: RegistrationClaim.Evidence
        let model: String
        let hasLidar: Bool
    }

    func checked() throws(APIError) -> Offer {
        let session = try EnrolmentForms.session(session)
        let evidence = try RegistrationClaim.evidence(attestationObject, keyID)
        return Offer(
            session: session, evidence: evidence, model: try RegistrationClaim.model(model ?? Device.modelUnknown),
            hasLidar: hasLidar ?? true)
    }
}

/// The JSON with which a password hash is set.
struct EnrolmentPasswordForm: Decodable {
    let session: String
    let encryptedPasswordHash: String
    let keyID: String
    let nonce: String

    enum CodingKeys: String, CodingKey {
        case nonce
        case session = "enrollment_session_id"
        case encryptedPasswordHash = "encrypted_password_hash"
        case keyID = "key_id"
    }

    /// A sealed password hash, and with which keys it was sealed.
    struct Sealed: Sendable {
        let session: EnrolmentID
        let keyID: TransactionKeyID
        /// The device's public key, which stands before the ciphertext.
        let deviceKey: [UInt8]
        /// Ciphertext and tag.
        let hash: [UInt8]
        let nonce: [UInt8]
    }

    func checked() throws(APIError) -> Sealed {
        let session = try EnrolmentForms.session(session)
        let overhead = TransactionChannel.keyBytes + TransactionChannel.tagBytes
        let bytes = try Base64Field.read(
            encryptedPasswordHash, "encrypted_password_hash", overhead + 1...overhead + PasswordHash.bytesMax)
        let keyID = try EnrolmentForms.key(keyID)
        let nonceBytes = TransactionChannel.nonceBytes
        let nonce = try Base64Field.read(nonce, "nonce", nonceBytes...nonceBytes)
        return Sealed(
            session: session, keyID: keyID, deviceKey: Array(bytes.prefix(TransactionChannel.keyBytes)),
            hash: Array(bytes.dropFirst(TransactionChannel.keyBytes)), nonce: nonce)
    }
}

/// The JSON that ends an enrolment.
struct EnrolmentFinalizeForm: Decodable {
    let session: String
    let keyID: String?

    enum CodingKeys: String, CodingKey {
        case session = "enrollment_session_id"
        case keyID = "key_id"
    }

    /// The session, and the transaction key for the credential if the device has chosen one.
    func checked() throws(APIError) -> (session: EnrolmentID, key: TransactionKeyID?) {
        let session = try EnrolmentForms.session(session)
        return (session, try keyID.map { text throws(APIError) in try EnrolmentForms.key(text) })
    }
}

/// What the forms have in common.
private enum EnrolmentForms {
    static func session(_ text: String) throws(APIError) -> EnrolmentID {
        guard let id = EnrolmentID(text) else { throw .invalid("enrollment_session_id", "must be a UUID") }
        return id
    }

    static func key(_ text: String) throws(APIError) -> TransactionKeyID {
        guard let id = TransactionKeyID(text) else { throw .invalid("key_id", "must be a transaction key's UUID") }
        return id
    }
}
