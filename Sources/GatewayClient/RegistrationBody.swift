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
