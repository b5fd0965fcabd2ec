import CaptureModel
package import DeviceSimulator
import Foundation
package import GatewayClient

extension GatewayClient {
    /// Registers a device as its app does: attests its key to a challenge of the gateway's.
    /// - Parameters:
    ///   - authority: Whose certificates it shows.
    ///   - receipts: Who makes its receipt; otherwise it has none that is one.
    package func register(
        _ device: SimulatedDevice, authority: TestCertificateAuthority, receipts: TestReceiptIssuer? = nil
    ) async throws -> RegistrationAnswer {
        let challenge = try await challenge()
        let attestation = try device.attest(
            clientDataHash: CaptureSigner.clientDataHash(challenge: challenge.bytes).bytes, authority: authority,
            at: Date(), receipts: receipts)
        return try await register(
            RegistrationForm(
                model: device.model, keyID: device.keyID.bytes, attestation: attestation, challenge: challenge.bytes))
    }
}
