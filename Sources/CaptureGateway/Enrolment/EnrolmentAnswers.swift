import CaptureModel
import CaptureStore
import Enrolment
import FoundationEssentials

/// A transaction key's public half, as JSON.
struct TransactionKeyDocument: Encodable, Sendable {
    private let keyID: TransactionKeyID
    private let publicKey: String
    private let algorithm = Self.algorithm

    /// The kind of every transaction key.
    static let algorithm = "X25519"

    init(_ key: EnrolmentSession.TransactionKey) {
        keyID = key.id
        publicKey = Data(key.publicKey).base64EncodedString()
    }

    private enum CodingKeys: String, CodingKey {
        case algorithm
        case keyID = "key_id"
        case publicKey = "public_key"
    }
}

/// What a device learns when its enrolment begins.
struct EnrolmentStartAnswer: Encodable, Sendable {
    private let session: EnrolmentID
    private let user: UserGUID
    private let challenge: String
    private let endpoint = Operation.attestEnrolment.path
    private let keys: [TransactionKeyDocument]
    private let nextStep: String

    init(_ session: EnrolmentSession) {
        self.session = session.id
        user = session.user
        challenge = Data(session.challenge ?? []).base64EncodedString()
        keys = session.keys.map { TransactionKeyDocument($0) }
        nextStep = session.state.nextStep.nameAsNext
    }

    private enum CodingKeys: String, CodingKey {
        case session = "enrollment_session_id"
        case user = "user_guid"
        case challenge = "attestation_challenge"
        case endpoint = "attestation_endpoint"
        case keys = "transaction_keys"
        case nextStep = "next_step"
    }
}

/// What a device learns when its key is attested.
struct EnrolmentAttestationAnswer: Encodable, Sendable {
    private let status = Self.status
    private let deviceType = Device.platformTaken
    private let securityLevel: AttestationLevel
    private let nextStep: String
    private let passwordKeyID: TransactionKeyID?

    /// What the answer says has been done.
    static let status = "attestation_verified"

    init(_ session: EnrolmentSession, level: AttestationLevel) {
        securityLevel = level
        nextStep = session.state.nextStep.nameAsNext
        passwordKeyID = session.keys.first?.id
    }

    private enum CodingKeys: String, CodingKey {
        case status
        case deviceType = "device_type"
        case securityLevel = "security_level"
        case nextStep = "next_step"
        case passwordKeyID = "password_key_id"
    }
}

/// What a device learns when the password hash is kept.
struct EnrolmentPasswordAnswer: Encodable, Sendable {
    private let status: String
    private let nextStep: String

    init(_ session: EnrolmentSession) {
        status = session.state.rawValue
        nextStep = session.state.nextStep.nameAsNext
    }

    private enum CodingKeys: String, CodingKey {
        case status
        case nextStep = "next_step"
    }
}

/// What a device learns when it is enrolled.
struct EnrolmentFinalizeAnswer: Encodable, Sendable {
    private let status: String
    private let package: Package

    init(_ session: EnrolmentSession, _ secrets: CredentialSecrets) {
        status = session.state.rawValue
        package = Package(
            user: session.user, device: session.device, credential: secrets.credential,
            token: secrets.token,
            keys: session.keys.filter { $0.sealedPrivateKey != nil }.map { TransactionKeyDocument($0) })
    }

    private enum CodingKeys: String, CodingKey {
        case status
        case package = "credential_package"
    }

    private struct Package: Encodable, Sendable {
        let user: UserGUID
        let device: DeviceID
        let credential: CredentialSecrets.Credential
        let token: String
        let keys: [TransactionKeyDocument]

        private enum CodingKeys: String, CodingKey {
            case credential, token
            case user = "user_guid"
            case device = "device_id"
            case keys = "transaction_keys"
        }
    }
}

/// The part of a credential package that is made once, and kept sealed for as long as its session lasts.
struct CredentialSecrets: Codable, Sendable {
    /// The credential, sealed for the device.
    struct Credential: Codable, Sendable {
        let keyID: String
        let nonce: String
        let ciphertext: String

        enum CodingKeys: String, CodingKey {
            case nonce, ciphertext
            case keyID = "key_id"
        }
    }

    let credential: Credential
    let token: String
}
