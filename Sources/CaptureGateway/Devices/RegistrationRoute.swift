import CaptureModel
import CaptureOperations
import Hummingbird

/// `POST /api/v1/devices/register`: an attested key, or a plain one, becomes a device.
struct RegistrationRoute: Sendable {
    let dependencies: GatewayDependencies
    let registrar: Registrar
    let bodies: RequestBodies

    func add(to router: Router<GatewayContext>) {
        router.route(.registerDevice, use: handle)
    }

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let registered = try await Registrar.counted { () async throws(APIError) in
            let claim = try await bodies.read(request, context) { bytes throws(APIError) in
                try RegistrationClaim(body: bytes, headers: request.headers)
            }
            return try await registrar.admit(claim, logger: context.logger)
        }
        return try Envelope.success(
            RegistrationAnswer(registered), status: .created, context: context, now: dependencies.now())
    }
}

/// What a device learns of its registration.
struct RegistrationAnswer: Encodable, Sendable {
    private let device: Device
    private let deviceCheck: DeviceCheckState?

    init(_ registration: DeviceRegistration) {
        device = registration.device
        deviceCheck = registration.deviceCheck
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case attestationLevel = "attestation_level"
        case reason
        case keyID = "key_id"
        case environment
        case appID = "app_id"
        case trustRoot = "trust_root"
        case registeredAt = "registered_at"
        case deviceCheck = "device_check"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(device.id, forKey: .deviceID)
        try container.encode(device.level, forKey: .attestationLevel)
        try container.encodeIfPresent(device.unverifiedReason, forKey: .reason)
        try container.encode(device.keyID, forKey: .keyID)
        try container.encode(device.environment, forKey: .environment)
        try container.encode(device.appID, forKey: .appID)
        try container.encode(device.trustRoot, forKey: .trustRoot)
        try container.encode(device.registeredAt, forKey: .registeredAt)
        try container.encodeIfPresent(deviceCheck.map { DeviceCheckDocument($0) }, forKey: .deviceCheck)
    }
}
