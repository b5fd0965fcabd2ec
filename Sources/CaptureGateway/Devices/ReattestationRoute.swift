import AppAttest
import CaptureModel
import CaptureStore
import Hummingbird
import Logging

/// `POST /api/v1/devices/{id}/attestation`: a registered key is attested once more, so that what is known of its device
/// is of today: system, app, receipt.
///
/// Counters stay as they are. Evidence that is not good changes nothing, whatever the policy of registrations is.
struct ReattestationRoute: Sendable {
    private let roots: [TrustRoot]
    private let dependencies: GatewayDependencies
    private let registrar: Registrar
    private let bodies: RequestBodies

    init(
        configuration: GatewayConfiguration, dependencies: GatewayDependencies, registrar: Registrar,
        bodies: RequestBodies
    ) {
        roots = configuration.trust.roots
        self.dependencies = dependencies
        self.registrar = registrar
        self.bodies = bodies
    }

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let registry = try dependencies.requireRegistry()
        guard let id = context.parameters.get("id").flatMap({ DeviceID($0) }) else {
            throw APIError.invalid("id", "must be a device's UUID")
        }
        let claim = try await bodies.read(request, context) { bytes throws(APIError) in
            try RegistrationClaim(body: bytes, headers: request.headers)
        }
        guard case .attestation = claim.evidence else { throw APIError.invalid("attestation", "is missing") }
        try await registrar.consume(claim.challenge)
        let attested = try registrar.attested(claim, as: id, context.logger)
        let kept = rootsKept(from: attested.device)
        let outcome = try await askingStore { () async throws(StoreError) in
            try await registry.reattest(attested, keeping: kept, actor: "gateway")
        }
        let drift: [Drift]
        switch outcome {
        case .kept(let found): drift = found
        case .notAttested:
            throw APIError(
                .conflict,
                "the device is not registered by an attestation of this key, for this app and environment and under "
                    + "this root")
        case .revoked: throw APIError(.deviceRevoked, "the device was revoked")
        }
        if drift.contains(where: { $0.fact == .model }) {
            context.logger.warning("a key is said to be on other hardware", metadata: ["device_id": "\(id)"])
        }
        return try Envelope.success(
            ReattestationAnswer(deviceID: "\(id)", drift: drift.map { .init($0) }), context: context,
            now: dependencies.now())
    }

    /// The configured roots whose devices may not move to this attestation's root: all of other authorities.
    ///
    /// So the devices of a renewed or removed root may move; a less trusted root never becomes the root of another's
    /// devices.
    private func rootsKept(from device: Device) -> Set<String> {
        let own = roots.filter { $0.recordedName == device.trustRoot }
        let kept = roots.filter { root in !own.contains { $0.isOfSameAuthority(as: root) } }
        return Set(kept.map(\.sha256))
    }
}

/// What has changed, as JSON.
private struct ReattestationAnswer: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var fact: String
        @OrNull var before: String?
        @OrNull var after: String?

        init(_ drift: Drift) {
            fact = drift.fact.rawValue
            before = drift.before
            after = drift.after
        }
    }

    var deviceID: String
    var drift: [Item]

    enum CodingKeys: String, CodingKey {
        case drift
        case deviceID = "device_id"
    }
}
