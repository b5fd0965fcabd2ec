import CaptureModel
import DeviceSimulator
import GatewayClient

extension GatewayClient {
    /// Registers a simulated device as its app does: attests its key to a challenge of the gateway's.
    /// - Parameters:
    ///   - authority: The issuer of its certificates.
    ///   - receipts: The issuer of its receipt; without it the device has no valid one.
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
