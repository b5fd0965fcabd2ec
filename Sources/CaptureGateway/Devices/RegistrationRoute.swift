import CaptureModel
import CaptureOperations
import Hummingbird

/// `POST /api/v1/devices/register`: an attested key, or a plain one, becomes a device.
struct RegistrationRoute: Sendable {
    let dependencies: GatewayDependencies
    let registrar: Registrar
    let bodies: RequestBodies

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

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(device.id, forKey: "device_id")
        try container.encode(device.level, forKey: "attestation_level")
        try container.encodeIfPresent(device.unverifiedReason, forKey: "reason")
        try container.encode(device.keyID, forKey: "key_id")
        try container.encode(device.environment, forKey: "environment")
        try container.encode(device.appID, forKey: "app_id")
        try container.encode(device.trustRoot, forKey: "trust_root")
        try container.encode(device.registeredAt, forKey: "registered_at")
        try container.encodeIfPresent(deviceCheck.map { DeviceCheckDocument($0) }, forKey: "device_check")
    }
}
