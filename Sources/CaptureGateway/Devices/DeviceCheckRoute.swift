import AppAttest
import AppleDeviceCheck
import CaptureModel
import Hummingbird

/// `POST /api/v1/devices/devicecheck`: a device without App Attest registers a software key, with what Apple's
/// DeviceCheck says of the device.
///
/// It is `unverified`, and its requests and captures are signed like any other's. If Apple does not answer, even for a
/// fault of ours, the device's state is `unknown`; only a token that Apple does not take is the device's fault, and
/// refused.
struct DeviceCheckRoute: Sendable {
    /// The App Attest environments whose keys are taken.
    let environments: Set<AttestEnvironment>
    let dependencies: GatewayDependencies
    let registrar: Registrar
    let bodies: RequestBodies
    private let notes = DeviceCheckNotes()

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let registered = try await Registrar.counted { () async throws(APIError) in
            let form = try await bodies.json(DeviceCheckRequest.self, request, context)
            let (token, environment) = try check(form)
            let claim = try RegistrationClaim(form.registration)
            return try await registrar.admit(claim, logger: context.logger) { () async throws(APIError) in
                try await state(of: token, in: environment, context)
            }
        }
        return try Envelope.success(
            RegistrationAnswer(registered), status: .created, context: context, now: dependencies.now())
    }

    /// Checks the fields that other registrations do not have.
    private func check(
        _ form: DeviceCheckRequest
    ) throws(APIError) -> (DeviceToken, KeyEnvironment) {
        guard let token = DeviceToken(base64: form.deviceToken) else {
            throw .invalid("device_token", "must be 1 to \(DeviceToken.bytesMax) bytes as base64 without line breaks")
        }
        let taken = KeyEnvironment.allCases.filter { environment in
            environments.contains(AttestEnvironment(environment))
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
            notes.note(nil, in: environment, context.logger)
            switch bits {
            case .neverSet:
                return DeviceCheckState(
                    standing: .neverSet, bit0: nil, bit1: nil, lastUpdate: nil, reason: nil, checkedAt: now)
            case .set(let bit0, let bit1, let lastUpdate):
                return DeviceCheckState(
                    standing: .set, bit0: bit0, bit1: bit1, lastUpdate: lastUpdate, reason: nil, checkedAt: now)
            }
        } catch {
            notes.note(error, in: environment, context.logger)
            if error == .token { throw .invalid("device_token", "Apple rejected this token") }
            return .unknown(error.code, at: now)
        }
    }
}
