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
