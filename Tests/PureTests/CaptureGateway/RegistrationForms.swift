import CaptureModel
import Crypto
import DeviceSimulator
import FoundationEssentials
import TestSupport
import Testing

@testable import CaptureGateway

extension GatewayFixture {
    var phone: SimulatedDevice { SimulatedDevice(appID: Self.appID) }

    /// The JSON that registers a phone with an attestation to a challenge.
    func form(
        _ phone: SimulatedDevice, _ challenge: [UInt8], flaw: AttestationFlaw? = nil,
        receipts: TestReceiptIssuer? = nil
    ) throws -> JSONValue {
        let object = try phone.attest(
            clientDataHash: SHA256Digest.hash(challenge).bytes, authority: authority, at: time.now.date, flaw: flaw,
            receipts: receipts)
        return [
            "platform": "ios", "model": "iPhone17,1", "has_lidar": true,
            "attestation": [
                "key_id": .base64(phone.keyID.bytes), "attestation_object": .base64(object),
                "challenge": .base64(challenge),
            ],
        ]
    }

    /// The JSON that answers the challenge of an enrolment which has begun.
    func attestation(
        of began: JSONValue?, flaw: AttestationFlaw? = nil, receipts: TestReceiptIssuer? = nil
    ) throws -> JSONValue {
        let challenge = try #require(began["attestation_challenge"].string.flatMap { Data(base64Encoded: $0) })
        let form = try form(phone, Array(challenge), flaw: flaw, receipts: receipts)["attestation"]
        return [
            "enrollment_session_id": try #require(began["enrollment_session_id"]),
            "key_id": try #require(form["key_id"]), "attestation_object": try #require(form["attestation_object"]),
        ]
    }

    /// The JSON that registers a plain key.
    func form(
        _ key: Curve25519.Signing.PrivateKey, _ challenge: [UInt8], signing other: [UInt8]? = nil
    ) throws -> JSONValue {
        let message = other ?? RegistrationMessage.bytes(challenge: challenge)
        return [
            "platform": "ios", "model": "iPhone12,1", "has_lidar": false,
            "public_key": [
                "algorithm": "ed25519", "key": .base64(Array(key.publicKey.rawRepresentation)),
                "challenge": .base64(challenge),
                "signature": .base64(Array(try key.signature(for: message))),
            ],
        ]
    }

    /// Registers a phone, which must succeed.
    func register(
        _ phone: SimulatedDevice, _ gateway: GatewayCaller, flaw: AttestationFlaw? = nil
    ) async throws -> DeviceID {
        let form = try form(phone, await gateway.challenge(), flaw: flaw)
        return try await gateway.post("/api/v1/devices/register", form).device()
    }

    /// Registers a plain key, which must succeed.
    func register(_ key: Curve25519.Signing.PrivateKey, _ gateway: GatewayCaller) async throws -> DeviceID {
        let form = try form(key, await gateway.challenge())
        return try await gateway.post("/api/v1/devices/register", form).device()
    }
}

extension GatewayCaller.Answer {
    struct NotRegistered: Error {
        var status: Int
        var code: String?
    }

    func device() throws -> DeviceID {
        guard status == 201, let id = data["device_id"].string.flatMap({ DeviceID($0) }) else {
            throw NotRegistered(status: status, code: code)
        }
        return id
    }
}

extension JSONValue {
    static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
}
