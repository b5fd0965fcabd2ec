/// The JSON of a registration as it came.
struct RegistrationRequest: Decodable {
    struct Attestation: Decodable {
        var keyID: String
        var attestationObject: String
        var challenge: String

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case attestationObject = "attestation_object"
            case challenge
        }
    }

    /// A software key with its signature over ``RegistrationMessage``.
    struct PublicKey: Decodable {
        var algorithm: String
        var key: String
        var challenge: String
        var signature: String
    }

    var platform: String
    var model: String
    var hasLidar: Bool
    var attestation: Attestation?
    var publicKey: PublicKey?

    enum CodingKeys: String, CodingKey {
        case platform, model, attestation
        case hasLidar = "has_lidar"
        case publicKey = "public_key"
    }
}
