import AppleStandIn
import CaptureModel
import Crypto
import DeviceSimulator
import GatewayClient

/// The trials beyond captures: a receipt's exchange, a device without App Attest, an enrolment.
struct TrustShowcase: Sendable {
    /// One row of the table.
    struct Record: Sendable, Encodable {
        /// The service that was tried.
        var service: String
        /// The device's id at the gateway.
        @OrNull var device: DeviceID?
        /// The expected outcome, in words.
        var expectation: String
        /// The outcome.
        var outcome: String
        /// Whether the outcome is the expected one.
        var expected: Bool
    }

    let appID: String
    /// Attests the phone that enrols.
    let authority: TestCertificateAuthority
    /// Signs its receipt.
    let receipts: TestReceiptIssuer
    let gateway: GatewayClient
    let token: String?
    /// The invitation code for an enrolment; `nil` leaves the enrolment out.
    let invitation: String?
    /// How long to wait for each outcome.
    let patience: Duration

    /// Makes all trials; `attested` is a device whose receipt may be exchanged.
    ///
    /// Cancelled, it tells of those that were done by then.
    func run(attested: DeviceID?) async -> [Record] {
        var records: [Record] = []
        func note(_ record: Record) {
            if record.expected || !Task.isCancelled { records.append(record) }
        }
        note(await receipt(of: attested))
        note(await fallback())
        if let invitation { note(await enrolment(invited: invitation)) }
        return records
    }

    /// Waits until a worker has exchanged the receipt of a device.
    private func receipt(of device: DeviceID?) async -> Record {
        var record = Record(
            service: "receipt exchange", device: device, expectation: "renewed, with a risk metric",
            outcome: "no attested device", expected: false)
        guard let device, let token else { return record }
        let clock = ContinuousClock()
        let end = clock.now + patience
        do {
            repeat {
                let shown = try await gateway.device(device) { _ in .token(token) }
                let metric = shown["device"]?["risk_metric"]?.integer
                record.outcome = shown["receipt"]?["outcome"]?.string ?? "no receipt"
                if record.outcome == ReceiptOutcome.renewed.rawValue, let metric {
                    record.outcome += ", risk metric \(metric)"
                    record.expected = true
                    return record
                }
                try await clock.sleep(for: .milliseconds(200))
            } while clock.now < end
        } catch {
            record.outcome = String(describing: error)
        }
        return record
    }

    /// Registers a software key with DeviceCheck, and sends a capture that it has signed.
    private func fallback() async -> Record {
        var record = Record(
            service: "DeviceCheck", device: nil, expectation: "unverified, capture verified", outcome: "",
            expected: false)
        let phone = SoftwareDevice(appID: appID, key: .p256(P256.Signing.PrivateKey()))
        do {
            let challenge = try await gateway.challenge()
            let registered = try await gateway.register(
                CheckedRegistrationForm(
                    model: "iPhone8,1", deviceToken: AppleStandIn.deviceToken(of: "phone without App Attest", nonce: 1),
                    algorithm: phone.algorithm, publicKey: phone.publicKey, challenge: challenge.bytes,
                    signature: try phone.sign(RegistrationMessage.bytes(challenge: challenge.bytes))))
            record.device = registered.device
            let status = try await verdict(of: phone, as: registered.device)
            let standing = registered.deviceCheck?.rawValue ?? "not asked"
            record.outcome = "\(registered.level.rawValue), bits \(standing), capture \(status.state.rawValue)"
            record.expected =
                registered.level == .unverified && registered.deviceCheck == .neverSet && status.state == .verified
        } catch {
            record.outcome = String(describing: error)
        }
        return record
    }

    private func verdict(of phone: SoftwareDevice, as device: DeviceID) async throws -> CaptureStatus {
        let capture = try SyntheticCapture(
            seed: 1, photoBytes: 500_000, capturedAt: Timestamp.systemTime(), deviceModel: "iPhone8,1")
        let hash = CaptureSigner.clientDataHash(of: capture, binding: .concatV1)
        let upload = CaptureUpload(
            photo: capture.photo, depthMap: capture.depthMap, metadata: capture.metadata,
            assertion: try phone.assertion(clientDataHash: hash.bytes))
        let receipt = try await gateway.upload(upload, device: device)
        return try await gateway.settled(receipt.captureID, within: patience) { body in
            if let token { return .token(token) }
            let timestamp = String(Timestamp.systemTime().millisecondsSince1970)
            let message = Array("\(timestamp)|\(SHA256Digest.hash(body).hex)".utf8)
            return .device(
                device, timestamp: timestamp,
                signature: try phone.assertion(clientDataHash: SHA256Digest.hash(message).bytes))
        }
    }
}
