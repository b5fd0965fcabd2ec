import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

/// A phone that is registered with a stack's gateway.
struct Phone: Sendable {
    let id: DeviceID
    let level: AttestationLevel
    let device: SimulatedDevice
    let gateway: GatewayClient

    /// Registers a new phone.
    /// - Parameter authority: Whose certificates it shows; one that the gateway does not trust makes it unverified.
    static func register(
        with gateway: GatewayClient, authority: TestCertificateAuthority, format: WireFormat = .extensionsFlagged
    ) async throws -> Phone {
        try await register(
            with: gateway, authority: authority, device: SimulatedDevice(appID: Stack.appID, format: format))
    }

    /// Registers a device that was made before.
    static func register(
        with gateway: GatewayClient, authority: TestCertificateAuthority, device: SimulatedDevice
    ) async throws -> Phone {
        let answer = try await gateway.register(device, authority: authority)
        return Phone(id: answer.device, level: answer.level, device: device, gateway: gateway)
    }

    /// The JSON that attests the phone's key once more.
    /// - Parameters:
    ///   - newer: The same key under another system; the phone itself by default.
    ///   - model: What it calls itself; its model by default.
    func attestationForm(
        authority: TestCertificateAuthority, newer: SimulatedDevice? = nil, model: String? = nil
    ) async throws -> String {
        let (device, challenge) = (newer ?? device, try await gateway.challenge())
        let object = try device.attest(
            clientDataHash: CaptureSigner.clientDataHash(challenge: challenge.bytes).bytes, authority: authority,
            at: Date())
        func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
        return """
            {"platform": "ios", "model": "\(model ?? device.model)", "has_lidar": true, "attestation": {
            "key_id": "\(base64(device.keyID.bytes))", "attestation_object": "\(base64(object))",
            "challenge": "\(base64(challenge.bytes))"}}
            """
    }

    /// Attests the phone's key once more.
    func attestAgain(
        authority: TestCertificateAuthority, newer: SimulatedDevice? = nil
    ) async throws -> DescribedAnswer {
        try await gateway.ask(
            .POST, "/api/v1/devices/\(id)/attestation", attestationForm(authority: authority, newer: newer))
    }

    /// The same phone, which takes the first answer for the last.
    var impatient: Phone {
        var configuration = gateway.configuration
        configuration.attemptsMax = 1
        return Phone(id: id, level: level, device: device, gateway: GatewayClient(configuration, http: Stack.http))
    }

    /// Takes a small picture and signs it.
    func shoot(
        seed: UInt64, binding: Binding = .concatV1, counter: CounterChoice = .next, flaw: AssertionFlaw? = nil,
        photoBytes: Int = 24_000
    ) throws -> SignedCapture {
        let capture = try SyntheticCapture(
            seed: seed, photoBytes: photoBytes, capturedAt: Timestamp(Date()), deviceModel: device.model,
            binding: binding
        )
        return try CaptureSigner(device: device, binding: binding).sign(capture, counter: counter, flaw: flaw)
    }

    /// Uploads a signed capture, with other media than were signed if given.
    func upload(_ signed: SignedCapture, showing other: SyntheticCapture? = nil) async throws -> CaptureID {
        let capture = other ?? signed.capture
        return try await gateway.upload(
            CaptureUpload(
                photo: capture.photo, depthMap: capture.depthMap, metadata: capture.metadata,
                assertion: signed.assertion
            ), device: id
        ).captureID
    }

    /// How an upload is refused by the first answer; whatever else comes of it is thrown.
    func refusal(
        of signed: SignedCapture, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> GatewayError.Refusal {
        let fault = await #expect(throws: GatewayError.self, sourceLocation: sourceLocation) {
            try await impatient.upload(signed)
        }
        guard case .refused(let refusal) = fault else { throw fault ?? .cancelled }
        return refusal
    }

    /// Waits for a capture's end as a dashboard does.
    func settled(_ capture: CaptureID) async throws -> CaptureStatus {
        try await gateway.settled(capture, within: .seconds(240)) { _ in .token(Stack.token) }
    }
}
