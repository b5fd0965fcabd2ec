import AppleStandIn
import CaptureModel
import Crypto
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

/// Gateway and worker as processes of their own, with a developer's key, and a stand-in where Apple would be.
@Suite(.timeLimit(.minutes(5))) struct `With Apple's servers` {
    private static let developer = ("ABC123DEFG", "TEAM123456")

    /// Runs a body with a stack that asks the stand-in.
    private func withStack(
        _ body: @Sendable (Stack, GatewayClient, AppleStandIn, TestReceiptIssuer) async throws -> Void
    ) async throws {
        let secret = P256.Signing.PrivateKey()
        let folder = try TemporaryDirectory.make("apple")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keyFile = folder.appendingPathComponent("AuthKey.p8")
        try Data(secret.pemRepresentation.utf8).write(to: keyFile)
        let plain = try await Stack.start()
        let issuer = try TestReceiptIssuer(authority: plain.authority, at: Date())
        let standIn = AppleStandIn(
            receipts: issuer,
            developer: .init(key: secret.publicKey, keyID: Self.developer.0, teamID: Self.developer.1),
            now: Timestamp.systemTime)
        try await standIn.serving { address async throws in
            let settings = [
                "CAPTURE_APPLE_KEY_FILE": keyFile.path, "CAPTURE_APPLE_KEY_ID": Self.developer.0,
                "CAPTURE_APPLE_TEAM_ID": Self.developer.1, "CAPTURE_APPLE_RECEIPTS_URL": address("production"),
                "CAPTURE_APPLE_RECEIPTS_DEVELOPMENT_URL": address("development"),
                "CAPTURE_APPLE_DEVICE_CHECK_URL": address("production"),
                "CAPTURE_APPLE_DEVICE_CHECK_DEVELOPMENT_URL": address("development"),
                "CAPTURE_RECEIPTS_POLL_INTERVAL": "100ms", "CAPTURE_RECEIPTS_RISK_WARNING": "5",
            ]
            let (gateway, client) = try await plain.gateway(settings)
            let worker = try plain.worker(settings)
            try await body(plain, client, standIn, issuer)
            for process in [gateway, worker] {
                try await process.expectStop()
            }
        }
    }

    @Test func `a receipt is exchanged, and its risk warns in the results`() async throws {
        try await withStack { stack, gateway, standIn, issuer async throws in
            let phone = SimulatedDevice(appID: Stack.appID)
            standIn.memory.setRiskMetric(9, of: Data(SHA512.hash(data: phone.publicKey)).base64EncodedString())
            let registered = try await gateway.register(phone, authority: stack.authority, receipts: issuer)
            #expect(registered.level == .secureEnclave)
            try await eventually {
                try await stack.psql("SELECT outcome FROM receipts").contains("renewed")
            }
            let device = Phone(id: registered.device, level: registered.level, device: phone, gateway: gateway)
            let capture = try await device.upload(device.shoot(seed: 1))
            let status = try await device.settled(capture)
            #expect(status.state == .verified)
            let record = try await gateway.provenance(capture) { _ in .token(Stack.token) }
            #expect(record["risk_metric"]?.integer == 9 && record["risk_metric_at"]?.string != nil)
            let check = record["checks"]?.array?.first { $0["name"]?.string == "risk" }
            #expect(check?["outcome"]?.string == "fail" && check?["reason"]?.string == "RISK_ELEVATED")
            #expect(record["confidence"]?.string == "medium", "a warning lowers the confidence, and refuses nothing")
        }
    }

    @Test func `a receipt that nobody can exchange is missing evidence`() async throws {
        try await withStack { stack, gateway, _, _ async throws in
            // Its receipt is no receipt, and its attestation is good.
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            #expect(phone.level == .secureEnclave)
            let capture = try await phone.upload(phone.shoot(seed: 1))
            #expect(try await phone.settled(capture).state == .verified)
            let record = try await gateway.provenance(capture) { _ in .token(Stack.token) }
            let check = record["checks"]?.array?.first { $0["name"]?.string == "risk" }
            #expect(check?["outcome"]?.string == "unavailable" && check?["reason"]?.string == "RISK_UNKNOWN")
            #expect(record["confidence"]?.string == "medium")
        }
    }

    @Test func `devices without App Attest register with DeviceCheck, and their captures are verified`() async throws {
        try await withStack { stack, gateway, _, _ async throws in
            let keys: [SoftwareDevice.Key] = [
                .p256(P256.Signing.PrivateKey()), .ed25519(Curve25519.Signing.PrivateKey()),
            ]
            for key in keys {
                let software = SoftwareDevice(appID: Stack.appID, key: key)
                let challenge = try await gateway.challenge()
                let registered = try await gateway.register(
                    CheckedRegistrationForm(
                        model: "iPhone8,1", deviceToken: AppleStandIn.deviceToken(of: "old phone", nonce: 1),
                        algorithm: software.algorithm, publicKey: software.publicKey, challenge: challenge.bytes,
                        signature: software.sign(RegistrationMessage.bytes(challenge: challenge.bytes))))
                #expect(registered.level == .unverified && registered.deviceCheck == .neverSet)
                let photo = try SyntheticCapture(
                    seed: 1, photoBytes: 24_000, capturedAt: Timestamp(Date()), deviceModel: "iPhone8,1")
                let hash = CaptureSigner.clientDataHash(of: photo, binding: .concatV1)
                let assertion = try software.assertion(clientDataHash: hash.bytes)
                func settled(_ shown: SyntheticCapture) async throws -> CaptureStatus {
                    let receipt = try await gateway.upload(
                        CaptureUpload(
                            photo: shown.photo, depthMap: shown.depthMap, metadata: shown.metadata,
                            assertion: assertion), device: registered.device)
                    return try await gateway.settled(receipt.captureID, within: .seconds(240)) { _ in
                        .token(Stack.token)
                    }
                }
                let good = try await settled(photo)
                #expect(good.state == .verified)
                let record = try await gateway.provenance(good.captureID) { _ in .token(Stack.token) }
                #expect(record["attestation_level"]?.string == "unverified" && record["counter"]?.integer == 1)
                // It declares no sensor that could have made its depth map.
                #expect(record["confidence"]?.string == "low")
                let check = record["checks"]?.array?.first { $0["name"]?.string == "metadata" }
                #expect(check?["reason"]?.string == "METADATA_INCONSISTENT")
                let tampered = try await settled(photo.photoTampered())
                #expect(tampered.state == .rejected && tampered.reason == Reason.signatureInvalid.rawValue)
            }
        }
    }
}
