import CaptureModel
import CaptureQueue
import CaptureStore
import Hummingbird
import Logging
import Observability

/// `POST /api/v1/devices/register`: an attested key, or a plain one, becomes a device ([R-RG-1] to [R-RG-7]).
///
/// The fields are checked first, then the challenge is used up, whatever comes of it, then the evidence is verified.
struct RegistrationRoute: Sendable {
    let configuration: GatewayConfiguration
    let dependencies: GatewayDependencies
    private let registrar: Registrar

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        self.configuration = configuration
        self.dependencies = dependencies
        self.registrar = Registrar(configuration: configuration)
    }

    func handle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let registered: DeviceRegistration
        do throws(APIError) {
            registered = try await register(request, context)
        } catch {
            CaptureMetrics.registration(Self.outcome(of: error.code))
            throw error
        }
        return try Envelope.success(
            RegistrationAnswer(registered.device), status: .created, context: context, now: dependencies.now())
    }

    private func register(_ request: Request, _ context: GatewayContext) async throws(APIError) -> DeviceRegistration {
        let bytes = try await JSONBody.bytes(of: request, limits: configuration, context)
        let claim = try RegistrationClaim(body: bytes, headers: request.headers)
        try await consume(claim.challenge)
        var generator = dependencies.generator
        let decision = try registrar.decide(claim, as: .make(using: &generator), at: dependencies.now())
        let device = decision.registration.device
        guard try await stored(decision.registration) == .created else {
            throw APIError(.conflict, "the key is registered already")
        }
        CaptureMetrics.registration(decision.outcome)
        context.logger.info(
            "registered a device",
            metadata: [
                "device_id": .string("\(device.id)"), "level": .string(device.level.rawValue),
                "reason": .string(device.unverifiedReason ?? ""),
            ])
        return decision.registration
    }

    private func consume(_ challenge: [UInt8]) async throws(APIError) {
        let isGood: Bool
        do { isGood = try await dependencies.challenges.consume(challenge) } catch { throw .unavailable(error) }
        guard isGood else { throw APIError(.challengeInvalid, "the challenge is unknown, expired or used") }
    }

    /// Asks once more when the answer was lost: the same device under the same id is `created` again.
    private func stored(_ registration: DeviceRegistration) async throws(APIError) -> RegistrationOutcome {
        do {
            return try await dependencies.store.register(registration)
        } catch {
            guard error.code == .outcomeUnknown || error.code == .conflict else { throw .unavailable(error) }
        }
        do { return try await dependencies.store.register(registration) } catch { throw .unavailable(error) }
    }

    private static func outcome(of code: APIError.Code) -> CaptureMetrics.RegistrationOutcome {
        switch code {
        case .challengeInvalid: .challengeInvalid
        case .conflict: .conflict
        case .attestationFailed, .signatureInvalid: .rejected
        case .validationError, .payloadTooLarge, .unsupportedMediaType: .invalid
        default: .error
        }
    }
}

/// What a device learns of its registration.
struct RegistrationAnswer: Encodable, Sendable {
    private let device: Device

    init(_ device: Device) {
        self.device = device
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
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(device.id.description, forKey: .deviceID)
        try container.encode(device.level.rawValue, forKey: .attestationLevel)
        try container.encodeIfPresent(device.unverifiedReason, forKey: .reason)
        try container.encode(device.keyID.description, forKey: .keyID)
        try container.encode(device.environment?.rawValue, forKey: .environment)
        try container.encode(device.appID, forKey: .appID)
        try container.encode(device.trustRoot, forKey: .trustRoot)
        try container.encode(device.registeredAt.rfc3339, forKey: .registeredAt)
    }
}
