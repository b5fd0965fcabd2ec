import CaptureModel
import CaptureStore
import Enrolment
import FoundationEssentials

/// A transaction key's public half, as JSON.
struct TransactionKeyDocument: Encodable, Sendable {
    private let key: EnrolmentSession.TransactionKey

    /// The kind of every transaction key.
    static let algorithm = "X25519"

    init(_ key: EnrolmentSession.TransactionKey) {
        self.key = key
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(key.id, forKey: "key_id")
        try container.encode(Data(key.publicKey).base64EncodedString(), forKey: "public_key")
        try container.encode(Self.algorithm, forKey: "algorithm")
    }
}

/// What a device learns when its enrolment begins.
struct EnrolmentStartAnswer: Encodable, Sendable {
    private let session: EnrolmentSession

    init(_ session: EnrolmentSession) {
        self.session = session
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(session.id, forKey: "enrollment_session_id")
        try container.encode(session.user, forKey: "user_guid")
        try container.encode(Data(session.challenge ?? []).base64EncodedString(), forKey: "attestation_challenge")
        try container.encode(Operation.attestEnrolment.path, forKey: "attestation_endpoint")
        try container.encode(session.keys.map { TransactionKeyDocument($0) }, forKey: "transaction_keys")
        try container.encode(session.state.nextStep.nameAsNext, forKey: "next_step")
    }
}

/// What a device learns when its key is attested.
struct EnrolmentAttestationAnswer: Encodable, Sendable {
    private let session: EnrolmentSession
    private let level: AttestationLevel

    /// What the answer says has been done.
    static let status = "attestation_verified"

    init(_ session: EnrolmentSession, level: AttestationLevel) {
        self.session = session
        self.level = level
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(Self.status, forKey: "status")
        try container.encode(Device.platformTaken, forKey: "device_type")
        try container.encode(level, forKey: "security_level")
        try container.encode(session.state.nextStep.nameAsNext, forKey: "next_step")
        try container.encodeIfPresent(session.keys.first?.id, forKey: "password_key_id")
    }
}

/// What a device learns when the password hash is kept.
struct EnrolmentPasswordAnswer: Encodable, Sendable {
    private let session: EnrolmentSession

    init(_ session: EnrolmentSession) {
        self.session = session
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(session.state.rawValue, forKey: "status")
        try container.encode(session.state.nextStep.nameAsNext, forKey: "next_step")
    }
}

/// What a device learns when it is enrolled.
struct EnrolmentFinalizeAnswer: Encodable, Sendable {
    private let session: EnrolmentSession
    private let secrets: CredentialSecrets

    init(_ session: EnrolmentSession, _ secrets: CredentialSecrets) {
        self.session = session
        self.secrets = secrets
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(session.state.rawValue, forKey: "status")
        var contents = container.nestedContainer(keyedBy: MemberName.self, forKey: "credential_package")
        try contents.encode(session.user, forKey: "user_guid")
        try contents.encode(session.device, forKey: "device_id")
        try contents.encode(secrets.credential, forKey: "credential")
        try contents.encode(secrets.token, forKey: "token")
        let keys = session.keys.filter { $0.sealedPrivateKey != nil }
        try contents.encode(keys.map { TransactionKeyDocument($0) }, forKey: "transaction_keys")
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
