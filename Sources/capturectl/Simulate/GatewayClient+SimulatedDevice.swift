import CaptureModel
import DeviceSimulator
import GatewayClient

extension GatewayClient {
    /// Registers a simulated device as its app does: attests its key to a challenge of the gateway's.
    /// - Parameters:
    ///   - authority: Whose certificates it shows.
    ///   - receipts: Who makes its receipt; without it the device has none that is one.
    func registerSimulated(
        _ phone: SimulatedDevice, authority: TestCertificateAuthority, receipts: TestReceiptIssuer?
    ) async throws -> RegistrationAnswer {
        let challenge = try await challenge()
        let attestation = try phone.attest(
            clientDataHash: CaptureSigner.clientDataHash(challenge: challenge.bytes).bytes, authority: authority,
            at: Timestamp.systemTime().date, receipts: receipts)
        return try await register(
            RegistrationForm(
                model: phone.model, keyID: phone.keyID.bytes, attestation: attestation, challenge: challenge.bytes))
    }
}
