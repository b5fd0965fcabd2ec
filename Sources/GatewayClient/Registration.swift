package import CaptureModel

/// A challenge to attest.
package struct Challenge: Sendable, Equatable {
    /// Its 32 bytes.
    package let bytes: [UInt8]
    /// Until when it is good.
    package let expiresAt: Timestamp?
}

/// The registration's JSON.
struct RegistrationBody: Encodable {
    struct Attestation: Encodable {
        var keyID: String
        var attestationObject: String
        var challenge: String

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case attestationObject = "attestation_object"
            case challenge
        }
    }

    var platform = "ios"
    var model: String
    var hasLidar: Bool
    var attestation: Attestation

    enum CodingKeys: String, CodingKey {
        case platform, model
        case hasLidar = "has_lidar"
        case attestation
    }
}

/// The JSON of a registration with DeviceCheck.
struct CheckedRegistrationBody: Encodable {
    struct PublicKey: Encodable {
        var algorithm: String
        var key: String
        var challenge: String
        var signature: String
    }

    var platform = "ios"
    var model: String
    var hasLidar = false
    var deviceToken: String
    var publicKey: PublicKey

    enum CodingKeys: String, CodingKey {
        case platform, model
        case hasLidar = "has_lidar"
        case deviceToken = "device_token"
        case publicKey = "public_key"
    }
}

/// What became of a registration.
package struct RegistrationAnswer: Sendable, Equatable {
    /// The id under which the device sends captures.
    package let device: DeviceID
    /// Whether the attestation was believed.
    package let level: AttestationLevel
    /// Why the attestation was not believed.
    package let reason: String?
    /// What DeviceCheck said, where it was asked.
    package let deviceCheck: DeviceCheckState.Standing?
}
