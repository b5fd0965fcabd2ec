import CaptureModel
import CaptureStore
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import CaptureGateway

/// Keys of Ed25519 with which anybody signs: no signature proves anything.
@Suite(.timeLimit(.minutes(1))) struct `A key of small order` {
    private static let key = SmallOrderKeyTests.neutral
    private static let signature = SmallOrderKeyTests.signatureOfNeutral

    private func form(_ challenge: [UInt8], by key: [UInt8]) -> JSONValue {
        [
            "platform": "ios", "model": "iPhone12,1", "has_lidar": false,
            "public_key": [
                "algorithm": "ed25519", "key": .base64(key), "challenge": .base64(challenge),
                "signature": .base64(Self.signature),
            ],
        ]
    }

    @Test(arguments: [UInt8(0), 0x80])
    func `a key of small order is refused at registration as one that did not sign the challenge`(_ sign: UInt8)
        async throws
    {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            var key = Self.key
            key[31] |= sign
            let answer = try await gateway.post("/api/v1/devices/register", form(gateway.challenge(), by: key))
            #expect(answer.status == 401 && answer.code == "SIGNATURE_INVALID")
            #expect(try await fixture.store.listDevices(after: nil, limit: 10).isEmpty)
        }
    }

    /// As a release before this rule has registered it.
    @Test func `a key of small order signs no request`() async throws {
        let fixture = try GatewayFixture()
        let device = Device.phone(
            .unverified(.ed25519, publicKey: Self.key, reason: Device.attestationMissing), model: "iPhone12,1",
            hasLidar: false, registeredAt: fixture.time.now)
        _ = try await fixture.store.register(DeviceRegistration(device: device))
        let authenticator = DeviceAuthenticator(
            configuration: fixture.configuration, dependencies: fixture.dependencies)
        let headers: HTTPFields = [
            .deviceID: "\(device.id)", .deviceTimestamp: "\(fixture.time.now.millisecondsSince1970)",
            .deviceSignature: Data(Self.signature).base64EncodedString(),
        ]
        let error = await #expect(throws: APIError.self) {
            try await authenticator.device(signing: headers, body: [])
        }
        #expect(error?.code == .signatureInvalid && error?.reason == Reason.signatureInvalid.rawValue)
    }
}
