import AppAttest
import AppleDeviceCheck
import CaptureModel
import DeviceTrust
import Hummingbird
import Logging
import Observability

/// `POST /api/v1/devices/devicecheck`: a device without App Attest registers a software key, with what Apple's
/// DeviceCheck says of the device.
///
/// It is `unverified`, and its requests and captures are signed like any other's. Whatever keeps Apple from answering,
/// our own faults among it, leaves what is known of the device `unknown`; only a token that Apple does not take is the
/// device's fault, and refused.
struct DeviceCheckRoute: Sendable {
    let configuration: GatewayConfiguration
    let dependencies: GatewayDependencies
    private let registrar: Registrar
    private let reach = AppleReach()

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        self.configuration = configuration
        self.dependencies = dependencies
        self.registrar = Registrar(configuration: configuration, dependencies: dependencies)
    }

    func handle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let registered = try await Registrar.counted { () async throws(APIError) in
            let bytes = try await JSONBody.bytes(of: request, limits: configuration, context)
            let form = try JSONBody.decode(DeviceCheckRequest.self, from: bytes, headers: request.headers)
            let (token, environment) = try check(form)
            let claim = try RegistrationClaim(form.registration)
            return try await registrar.admit(claim, logger: context.logger) { () async throws(APIError) in
                try await state(of: token, in: environment, context)
            }
        }
        return try Envelope.success(
            RegistrationAnswer(registered), status: .created, context: context, now: dependencies.now())
    }

    /// The fields that other registrations do not have.
    private func check(
        _ form: DeviceCheckRequest
    ) throws(APIError) -> (DeviceToken, KeyEnvironment) {
        guard let token = DeviceToken(base64: form.deviceToken) else {
            throw .invalid("device_token", "must be 1 to \(DeviceToken.bytesMax) bytes as base64 without line breaks")
        }
        let taken = KeyEnvironment.allCases.filter { environment in
            configuration.environments.contains(AttestEnvironment(environment))
        }
        guard let text = form.environment else {
            guard let first = taken.first else { throw .invalid("environment", "no environment is accepted here") }
            return (token, first)
        }
        guard let environment = taken.first(where: { $0.rawValue == text }) else {
            throw .invalid("environment", "must be \(taken.map(\.rawValue).joined(separator: " or "))")
        }
        return (token, environment)
    }

    private func state(
        of token: DeviceToken, in environment: KeyEnvironment, _ context: GatewayContext
    ) async throws(APIError) -> DeviceCheckState {
        let now = dependencies.now()
        guard let service = dependencies.deviceCheck else { return .unknown("NOT_CONFIGURED", at: now) }
        do throws(DeviceCheckFault) {
            let bits = try await service.query(token, in: environment)
            note(nil, in: environment, context.logger)
            switch bits {
            case .neverSet:
                return DeviceCheckState(
                    standing: .neverSet, bit0: nil, bit1: nil, lastUpdate: nil, reason: nil, checkedAt: now)
            case .set(let bit0, let bit1, let lastUpdate):
                return DeviceCheckState(
                    standing: .set, bit0: bit0, bit1: bit1, lastUpdate: lastUpdate, reason: nil, checkedAt: now)
            }
        } catch {
            note(error, in: environment, context.logger)
            if error == .token { throw .invalid("device_token", "Apple rejected this token") }
            return .unknown(error.code, at: now)
        }
    }

    /// Notes how a question fared, with its fault if there was no answer.
    private func note(
        _ fault: DeviceCheckFault?, in environment: KeyEnvironment, _ logger: Logger
    ) {
        // Whoever went away in the middle has learnt nothing of Apple.
        if Task.isCancelled { return }
        noteKey(fault, in: environment)
        noteReach(fault, in: environment, logger)
    }

    /// Tells the metrics whether Apple takes the developer's key; neither silence nor too much to do says so.
    private func noteKey(_ fault: DeviceCheckFault?, in environment: KeyEnvironment) {
        switch fault {
        case nil, .token?, .request?: CaptureMetrics.developerKey(isRefused: false, in: environment)
        case .unauthorized?: CaptureMetrics.developerKey(isRefused: true, in: environment)
        case .overloaded?, .unexpected?, .unreachable?: break
        }
    }

    /// Logs what came instead of an answer: that an environment's servers are away once, and once that they are back.
    private func noteReach(
        _ fault: DeviceCheckFault?, in environment: KeyEnvironment, _ logger: Logger
    ) {
        let place: Logger.Metadata = ["environment": "\(environment.rawValue)"]
        var metadata = place
        metadata["fault"] = "\(fault?.code ?? "")"
        metadata["detail"] = "\(fault?.detail ?? "")"
        if case .unreachable? = fault {
            if reach.note(isReached: false, in: environment) != nil {
                logger.warning("Apple is not reached", metadata: metadata)
            }
            return
        }
        if reach.note(isReached: true, in: environment) != nil {
            logger.notice("Apple is reached again", metadata: place)
        }
        if let fault, fault != .token { logger.warning("DeviceCheck did not answer", metadata: metadata) }
    }
}
