import AppleDeviceCheck
import CaptureModel
import CaptureStore
import Crypto
import DeviceSimulator
import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

private let path = "/api/v1/devices/devicecheck"

/// Says of every device what a test wants to hear.
private struct SaidBits: DeviceCheckService {
    var answer: Result<TwoBits, DeviceCheckFault>

    func query(
        _ token: DeviceToken, in environment: KeyEnvironment
    ) async throws(DeviceCheckFault) -> TwoBits {
        try answer.get()
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Registration with DeviceCheck` {
    private static func fixture(_ answer: Result<TwoBits, DeviceCheckFault>?) throws -> GatewayFixture {
        var fixture = try GatewayFixture()
        fixture.dependencies.deviceCheck = answer.map { SaidBits(answer: $0) }
        return fixture
    }

    static func device(_ algorithm: Device.KeyAlgorithm) -> SoftwareDevice {
        switch algorithm {
        case .p256: SoftwareDevice(appID: GatewayFixture.appID, key: .p256(P256.Signing.PrivateKey()))
        case .ed25519: SoftwareDevice(appID: GatewayFixture.appID, key: .ed25519(Curve25519.Signing.PrivateKey()))
        }
    }

    static func form(
        _ device: SoftwareDevice, _ challenge: [UInt8], signing other: [UInt8]? = nil
    ) throws -> JSONValue {
        let message = other ?? RegistrationMessage.bytes(challenge: challenge)
        return [
            "platform": "ios", "model": "iPhone8,1", "has_lidar": false, "device_token": .base64([1, 2, 3]),
            "public_key": [
                "algorithm": .string(device.algorithm.rawValue), "key": .base64(device.publicKey),
                "challenge": .base64(challenge), "signature": .base64(try device.sign(message)),
            ],
        ]
    }

    @Test(arguments: Device.KeyAlgorithm.allCases)
    func `registration with DeviceCheck makes an unverified device with its key and what Apple said`(
        _ algorithm: Device.KeyAlgorithm
    ) async throws {
        let fixture = try Self.fixture(.success(.set(bit0: true, bit1: false, lastUpdate: "2026-04")))
        try await fixture.run { gateway in
            let device = Self.device(algorithm)
            let answer = try await gateway.post(path, Self.form(device, gateway.challenge()))
            let id = try answer.device()
            #expect(answer.data["attestation_level"] == "unverified" && answer.data["reason"] == "ATTESTATION_MISSING")
            let check = answer.data["device_check"]
            #expect(check["state"] == "set" && check["bit0"] == true && check["bit1"] == false)
            #expect(check["last_update"] == "2026-04" && check["reason"] == .null)
            let record = try #require(try await fixture.store.record(of: id))
            #expect(record.registration.device.publicKey == device.publicKey)
            #expect(record.registration.deviceCheck?.standing == .set)
        }
    }

    @Test(arguments: [
        (Result<TwoBits, DeviceCheckFault>.failure(.request("bits")), "REQUEST_REFUSED"),
        (.failure(.unauthorized), "DEVELOPER_KEY_REFUSED"), (.failure(.overloaded(status: 503)), "APPLE_OVERLOADED"),
        (.failure(.unreachable("x")), "APPLE_UNREACHABLE"), (.failure(.unexpected(status: 200)), "ANSWER_UNEXPECTED"),
        (nil, "NOT_CONFIGURED"),
    ])
    func `registration with DeviceCheck knows nothing, and says so, when there is no answer`(
        _ said: Result<TwoBits, DeviceCheckFault>?, _ reason: String
    ) async throws {
        try await Self.fixture(said).run { gateway in
            let check = try await gateway.post(path, Self.form(Self.device(.ed25519), gateway.challenge()))
                .data["device_check"]
            #expect(check["state"] == "unknown" && check["reason"].string == reason)
            #expect(check["bit0"] == .null && check["bit1"] == .null && check["last_update"] == .null)
        }
    }

    @Test func `registration with DeviceCheck takes never set for never set`() async throws {
        try await Self.fixture(.success(.neverSet)).run { gateway in
            let answer = try await gateway.post(path, Self.form(Self.device(.p256), gateway.challenge()))
            #expect(answer.data["device_check"]["state"] == "never_set")
        }
    }

    @Test func `registering refuses a token that Apple refuses, a signature over something else, and a used challenge`()
        async throws
    {
        try await Self.fixture(.failure(.token)).run { gateway in
            let refused = try await gateway.post(path, Self.form(Self.device(.p256), gateway.challenge()))
            #expect(refused.status == 400 && refused.field == "device_token")
        }
        try await Self.fixture(.success(.neverSet)).run { gateway in
            for algorithm in Device.KeyAlgorithm.allCases {
                let unsigned = try Self.form(Self.device(algorithm), await gateway.challenge(), signing: [1])
                let answer = try await gateway.post(path, unsigned)
                #expect(answer.status == 401 && answer.code == "SIGNATURE_INVALID")
            }
            let challenge = try await gateway.challenge()
            #expect(try await gateway.post(path, Self.form(Self.device(.p256), challenge)).status == 201)
            #expect(
                try await gateway.post(path, Self.form(Self.device(.p256), challenge)).code == "CHALLENGE_INVALID")
        }
    }

    /// The nonce of a capture is as long: a gateway that is none could hand it out as its challenge.
    @Test(arguments: Device.KeyAlgorithm.allCases, [path, "/api/v1/devices/register"])
    func `registration with DeviceCheck takes no signature over the bare challenge`(
        _ algorithm: Device.KeyAlgorithm, _ route: String
    ) async throws {
        try await Self.fixture(.success(.neverSet)).run { gateway in
            let device = Self.device(algorithm)
            let (bare, good) = (try await gateway.challenge(), try await gateway.challenge())
            let answer = try await gateway.post(route, Self.form(device, bare, signing: bare))
            #expect(answer.status == 401 && answer.code == "SIGNATURE_INVALID")
            #expect(try await gateway.post(route, Self.form(device, good)).status == 201)
        }
    }

    @Test func `registration with DeviceCheck names the field at fault, and leaves the challenge good`() async throws {
        try await Self.fixture(.success(.neverSet)).run { gateway in
            let form = try Self.form(Self.device(.p256), await gateway.challenge())
            let changes: [(field: String, change: @Sendable (inout JSONValue?) -> Void)] = [
                ("platform", { $0["platform"] = "android" }), ("model", { $0["model"] = "" }),
                ("device_token", { $0["device_token"] = nil }), ("device_token", { $0["device_token"] = "" }),
                ("device_token", { $0["device_token"] = "no base64!" }),
                ("device_token", { $0["device_token"] = .string(String(repeating: "AAAA", count: 4000)) }),
                ("environment", { $0["environment"] = "sandbox" }),
                ("environment", { $0["environment"] = "development" }),
                ("public_key", { $0["public_key"] = nil }),
                ("public_key.algorithm", { $0["public_key"]["algorithm"] = "rsa" }),
                ("public_key.key", { $0["public_key"]["algorithm"] = "ed25519" }),
                ("public_key.key", { $0["public_key"]["key"] = "AAAA" }),
                ("public_key.signature", { $0["public_key"]["signature"] = "AAAA" }),
            ]
            for (field, change) in changes {
                var broken: JSONValue? = form
                change(&broken)
                let answer = try await gateway.post(path, broken)
                #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR" && answer.field == field)
            }
            #expect(try await gateway.post(path, form).status == 201)
        }
    }

    @Test func `registration with DeviceCheck is refused under the policy reject`() async throws {
        var fixture = try Self.fixture(.success(.neverSet))
        fixture.configuration.trust.registrationPolicy = .reject
        try await fixture.run { gateway in
            let answer = try await gateway.post(path, Self.form(Self.device(.p256), gateway.challenge()))
            #expect(answer.status == 401 && answer.code == "ATTESTATION_FAILED")
        }
    }
}
