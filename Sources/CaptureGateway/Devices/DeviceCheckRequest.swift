/// The JSON of a registration with DeviceCheck as it came.
struct DeviceCheckRequest: ClosedBody {
    var platform: String
    var model: String
    var hasLidar: Bool
    var deviceToken: String
    var environment: String?
    var publicKey: RegistrationRequest.PublicKey

    static let members = CodingKeys.allCases.map(\.rawValue)

    enum CodingKeys: String, CodingKey, CaseIterable {
        case platform, model, environment
        case hasLidar = "has_lidar"
        case deviceToken = "device_token"
        case publicKey = "public_key"
    }

    /// What it has in common with other registrations.
    var registration: RegistrationRequest {
        RegistrationRequest(
            platform: platform, model: model, hasLidar: hasLidar, attestation: nil, publicKey: publicKey)
    }
}
