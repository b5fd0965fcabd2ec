import CaptureModel
import DeviceSimulator
import GatewayClient
import TestSupport

/// A phone that is registered with the gateways.
struct Phone: Sendable {
    let id: DeviceID
    let device: SimulatedDevice

    /// Registers a new phone, and insists on its attestation being believed.
    static func register(with gateway: GatewayClient, authority: TestCertificateAuthority) async throws -> Phone {
        let device = SimulatedDevice(appID: Stage.appID)
        let answer = try await gateway.register(device, authority: authority)
        guard answer.level == .secureEnclave else {
            throw SimulatorError(.certificate, "the attestation was not believed: \(answer.reason ?? "")")
        }
        return Phone(id: answer.device, device: device)
    }
}
