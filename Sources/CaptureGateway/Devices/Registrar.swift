import CaptureModel
import CaptureQueue
import CaptureStore
import Logging
import Observability

/// Registers the device of a claim.
///
/// The challenge is used up, whatever comes of it; then the evidence is verified and kept.
struct Registrar: Sendable {
    private let dependencies: GatewayDependencies
    private let appraiser: EvidenceAppraiser
    /// How long a registration is asked for again after its answer was lost: as long as an upload waits for its row.
    private let doubtMax: Duration

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        self.dependencies = dependencies
        appraiser = EvidenceAppraiser(
            trust: configuration.trust, validity: configuration.validity, rollout: dependencies.rollout)
        doubtMax = configuration.intake.wait
    }

    /// Registers what a claim proves.
    /// - Parameter check: What DeviceCheck says, asked once the evidence is good.
    /// - Throws: `CONFLICT` for a key that is registered. If the caller has just attested that very key, the error
    ///   names its device, as the answer to its registration may have been lost; not so if the record is away by then.
    func admit(
        _ claim: RegistrationClaim, logger: Logger, check: (() async throws(APIError) -> DeviceCheckState)? = nil
    ) async throws(APIError) -> DeviceRegistration {
        var generator = dependencies.generator
        try await consume(claim.challenge)
        let appraisal = try appraiser.appraise(claim, as: .make(using: &generator), at: dependencies.now())
        var registration = appraisal.registration
        if let check { registration.deviceCheck = try await check() }
        let device = registration.device
        guard try await stored(registration) == .created else {
            let known = await registered(appraisal, logger)
            throw APIError(.conflict, "the key is registered already", deviceID: known?.id)
        }
        Self.note(appraisal.rollout, of: device.id, logger)
        Self.note(device, logger)
        return registration
    }

    /// The device that a claim's key is registered as; `nil` unless the attestation is good.
    ///
    /// It also has to prove just what the device was registered by.
    ///
    /// `nil`, too, if the record does not say: the key is taken all the same. A client that tried again after a 503
    /// would only hear that its challenge is used up, and never of the conflict.
    private func registered(_ appraisal: EvidenceAppraiser.Appraisal, _ logger: Logger) async -> Device? {
        let device = appraisal.registration.device
        guard device.level == .secureEnclave else { return nil }
        let holder: Device?
        do throws(StoreError) {
            holder = try await dependencies.store.holder(of: device.keyID)
        } catch {
            logger.warning("the record does not say whose a key is", metadata: ["fault": "\(error)"])
            return nil
        }
        guard let holder, holder.level == .secureEnclave, holder.revokedAt == nil, holder.appID == device.appID,
            holder.environment == device.environment, holder.trustRoot == device.trustRoot
        else { return nil }
        return holder
    }

    /// Verifies that a claim's key was attested, whatever becomes of other devices; its challenge was used up before.
    /// - Throws: `ATTESTATION_FAILED`
    func attested(
        _ claim: RegistrationClaim, as id: DeviceID, _ logger: Logger
    ) throws(APIError) -> DeviceRegistration {
        let appraisal = try appraiser.appraise(claim, as: id, at: dependencies.now())
        let device = appraisal.registration.device
        guard device.level == .secureEnclave else {
            throw APIError(.attestationFailed, "the key was not attested", reason: device.unverifiedReason)
        }
        Self.note(appraisal.rollout, of: id, logger)
        return appraisal.registration
    }

    private static func note(_ ruling: RolloutRuling?, of device: DeviceID, _ logger: Logger) {
        guard let reason = ruling?.wouldReject else { return }
        logger.notice(
            "the app's rollout would not take the device",
            metadata: ["device_id": "\(device)", "reason": "\(reason.rawValue)"])
    }

    /// Counts and logs a device that is registered now.
    static func note(_ device: Device, _ logger: Logger) {
        CaptureMetrics.registration(.init(device))
        logger.info(
            "registered a device",
            metadata: [
                "device_id": .string("\(device.id)"), "attestation_level": .string(device.level.rawValue),
                "reason": .string(device.unverifiedReason ?? ""),
            ])
    }

    /// Runs a registration, and counts its failure.
    static func counted<Value>(
        _ body: () async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        do throws(APIError) {
            return try await body()
        } catch {
            CaptureMetrics.registration(.init(error.code))
            throw error
        }
    }

    /// Uses a challenge up that any device may answer.
    /// - Throws: `CHALLENGE_INVALID`
    func consume(_ challenge: [UInt8]) async throws(APIError) {
        let isGood = try await askingQueue { () async throws(QueueError) in
            try await dependencies.challenges.consume(challenge)
        }
        guard isGood else { throw APIError(.challengeInvalid, "the challenge is unknown, expired or used") }
    }

    /// Asks again when the answer was lost, until the record says what became of it.
    ///
    /// Registering the device again under the same id gives `created` again; with a new challenge it would get a new
    /// id, and its key would count as taken.
    private func stored(_ registration: DeviceRegistration) async throws(APIError) -> RegistrationOutcome {
        try await storedInDoubt(within: doubtMax, chance: dependencies.chance) { () async throws(StoreError) in
            try await dependencies.store.register(registration)
        }
    }
}
