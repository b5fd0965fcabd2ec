import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient

/// A phone that is registered with the gateways.
struct Phone: Sendable {
    let id: DeviceID
    let device: SimulatedDevice

    /// Registers a new phone, and insists on its attestation being believed.
    static func register(with gateway: GatewayClient, authority: TestCertificateAuthority) async throws -> Phone {
        let device = SimulatedDevice(appID: Stage.appID)
        let challenge = try await gateway.challenge()
        let attestation = try device.attest(
            clientDataHash: CaptureSigner.clientDataHash(challenge: challenge.bytes).bytes, authority: authority,
            at: Date()
        )
        let receipt = try await gateway.register(
            RegistrationForm(
                model: device.model, keyID: device.keyID.bytes, attestation: attestation, challenge: challenge.bytes
            )
        )
        guard receipt.level == .secureEnclave else {
            throw SimulatorError(.certificate, "the attestation was not believed: \(receipt.reason ?? "")")
        }
        return Phone(id: receipt.device, device: device)
    }
}
