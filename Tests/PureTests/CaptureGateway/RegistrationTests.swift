import CaptureModel
import CaptureQueue
import CaptureStore
import Crypto
import DeviceSimulator
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

private let path = "/api/v1/devices/register"

@Suite(.timeLimit(.minutes(1))) struct `Registration over HTTP` {
    @Test func `a verified attestation makes a secure enclave device with all its evidence`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let phone = fixture.phone
            let challenge = try await gateway.challenge()
            let form = try fixture.form(phone, challenge)
            let answer = try await gateway.post(path, form)
            let id = try answer.device()
            #expect(answer.data["attestation_level"] == "secure_enclave" && answer.data["reason"] == nil)
            #expect(answer.data["environment"] == "production" && answer.data["app_id"] == .string(phone.appID))
            #expect(answer.data["key_id"].string == phone.keyID.description)
            let root = try #require(answer.data["trust_root"].string)
            #expect(root.contains("TEST ONLY") && root.contains(" sha256:"))
            let record = try #require(try await fixture.store.record(of: id))
            #expect(record.registration.device.publicKey == phone.publicKey)
            try expectKept(record.registration, form, challenge)
            #expect(record.registration.certificateChain.count == 2 && record.registration.receipt != nil)
            #expect(record.registration.device.trustRoot == root && record.registration.osVersion == "27.0")
        }
    }

    @Test func `a registration whose answer is lost is asked for again until the record is back`() async throws {
        var fixture = try GatewayFixture()
        let store = ForgetfulStore(fixture.store, faults: [.unavailable, .unavailable])
        fixture.dependencies.store = store
        try await fixture.run { [fixture] gateway in
            let answer = try await gateway.post(path, fixture.form(fixture.phone, gateway.challenge()))
            let id = try answer.device()
            let device = try await fixture.store.devices([id])[id]
            #expect(answer.status == 201 && device != nil && store.calls == 4)
        }
    }

    @Test func `a record that is away before a registration is not asked again`() async throws {
        let fixture = try GatewayFixture()
        await fixture.store.fail(with: StoreError(.unavailable, "away"))
        try await fixture.run { [fixture] gateway in
            let answer = try await gateway.post(path, fixture.form(fixture.phone, gateway.challenge()))
            #expect(answer.status == 503 && answer.code == "UNAVAILABLE")
        }
    }

    @Test(arguments: [
        (AttestationFlaw.counterNotZero, "COUNTER_NOT_ZERO"), (.otherAppID, "RP_ID_MISMATCH"),
        (.otherEnvironment, "ENVIRONMENT_MISMATCH"), (.otherClientDataHash, "NONCE_MISMATCH"),
    ])
    func `a refused attestation degrades the device and says why`(flaw: AttestationFlaw, reason: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let phone = fixture.phone
            let challenge = try await gateway.challenge()
            let form = try fixture.form(phone, challenge, flaw: flaw)
            let answer = try await gateway.post(path, form)
            let id = try answer.device()
            #expect(answer.data["attestation_level"] == "unverified" && answer.data["reason"].string == reason)
            #expect(answer.data["trust_root"] == .null)
            let device = try #require(try await fixture.store.devices([id])[id])
            #expect(device.publicKey == phone.publicKey && device.unverifiedReason == reason)
            let record = try #require(try await fixture.store.record(of: id))
            try expectKept(record.registration, form, challenge)
        }
    }

    /// One in a hundred or so: zeros at the front of its numbers are left out.
    @Test func `a key of P-256 may sign its registration with fewer bytes than most do`() async throws {
        try await GatewayFixture().run { gateway in
            let challenge = try await gateway.challenge()
            let message = RegistrationMessage.bytes(challenge: challenge)
            var (key, signature) = (P256.Signing.PrivateKey(), [UInt8]())
            while !(1..<70).contains(signature.count) {
                key = P256.Signing.PrivateKey()
                signature = Array(try key.signature(for: message).derRepresentation)
            }
            let form: JSONValue = [
                "platform": "ios", "model": "iPhone12,1", "has_lidar": false,
                "public_key": [
                    "algorithm": "p256", "key": .base64(Array(key.publicKey.x963Representation)),
                    "challenge": .base64(challenge), "signature": .base64(signature),
                ],
            ]
            #expect(try await gateway.post(path, form).status == 201)
        }
    }

    @Test func `the policy reject refuses what is not attested`() async throws {
        var fixture = try GatewayFixture()
        fixture.configuration.trust.registrationPolicy = .reject
        try await fixture.run { [fixture] gateway in
            let refused = try await gateway.post(
                path, fixture.form(fixture.phone, gateway.challenge(), flaw: .counterNotZero))
            #expect(refused.status == 401 && refused.code == "ATTESTATION_FAILED")
            #expect(refused.reason == "COUNTER_NOT_ZERO")
            let plain = try await gateway.post(path, fixture.form(Curve25519.Signing.PrivateKey(), gateway.challenge()))
            #expect(plain.code == "ATTESTATION_FAILED" && plain.reason == "ATTESTATION_MISSING")
            #expect(try await fixture.store.listDevices(after: nil, limit: 10).isEmpty)
        }
    }

    @Test func `a plain key needs to have signed the challenge`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let key = Curve25519.Signing.PrivateKey()
            let forged = try await gateway.post(path, fixture.form(key, gateway.challenge(), signing: [1, 2, 3]))
            #expect(forged.status == 401 && forged.code == "SIGNATURE_INVALID")
            let answer = try await gateway.post(path, fixture.form(key, gateway.challenge()))
            #expect(answer.status == 201 && answer.data["attestation_level"] == "unverified")
            #expect(answer.data["reason"] == "ATTESTATION_MISSING")
        }
    }

    @Test func `a software key's owner is not kept out by an attestation that is none`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let key = Curve25519.Signing.PrivateKey()
            let keyID = KeyID(publicKey: Array(key.publicKey.rawRepresentation))
            let challenge = try await gateway.challenge()
            let squat: JSONValue = [
                "platform": "ios", "model": "iPhone17,1", "has_lidar": true,
                "attestation": [
                    "key_id": .base64(keyID.bytes), "attestation_object": .base64([0xA0]),
                    "challenge": .base64(challenge),
                ],
            ]
            let squatter = try await gateway.post(path, squat)
            #expect(squatter.status == 201 && squatter.data["reason"] == "FORMAT_UNKNOWN")
            let owner = try await fixture.register(key, gateway)
            #expect(try await fixture.store.holder(of: keyID)?.id == owner)
        }
    }

    @Test func `a phone's owner is not kept out by a revoked registration of its key by another's`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let phone = fixture.phone
            let form = try fixture.form(phone, await gateway.challenge(), flaw: .leafKeyOfOtherDevice)
            let answer = try await gateway.post(path, form)
            #expect(answer.data["attestation_level"] == "unverified")
            let impostor = try answer.device()
            _ = try await fixture.store.revoke(impostor, at: fixture.time.now, reason: "abuse", actor: "tests")
            let owner = try await gateway.post(path, fixture.form(phone, gateway.challenge()))
            #expect(owner.status == 201 && owner.data["attestation_level"] == "secure_enclave")
        }
    }

    @Test func `a challenge is used up by the first that presents it, whatever comes of it`() async throws {
        var fixture = try GatewayFixture()
        fixture.configuration.trust.registrationPolicy = .reject
        try await fixture.run { [fixture] gateway in
            let challenge = try await gateway.challenge()
            let refused = try await gateway.post(path, fixture.form(fixture.phone, challenge, flaw: .counterNotZero))
            #expect(refused.code == "ATTESTATION_FAILED")
            let reused = try await gateway.post(path, fixture.form(fixture.phone, challenge))
            #expect(reused.status == 401 && reused.code == "CHALLENGE_INVALID")
            let foreign = [UInt8](repeating: 7, count: 32)
            #expect(try await gateway.post(path, fixture.form(fixture.phone, foreign)).code == "CHALLENGE_INVALID")
            let expired = try await gateway.challenge()
            fixture.time.advance(by: .seconds(301))
            #expect(try await gateway.post(path, fixture.form(fixture.phone, expired)).code == "CHALLENGE_INVALID")
        }
    }

    @Test func `an outage answers 503 with Retry-After and leaks nothing`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let form = try fixture.form(fixture.phone, await gateway.challenge())
            await fixture.store.fail(with: StoreError(.unavailable, "secret host is away"))
            let store = try await gateway.post(path, form)
            #expect(store.status == 503 && store.code == "UNAVAILABLE")
            #expect(store.headers.first(name: "Retry-After") == "2")
            #expect(!String(decoding: store.body, as: UTF8.self).contains("secret"))
            fixture.challenges.fail(with: QueueError(.refused, "secret command"))
            let refused = try await gateway.get("/api/v1/devices/challenge")
            #expect(refused.status == 500 && refused.code == "INTERNAL_ERROR")
            #expect(!String(decoding: refused.body, as: UTF8.self).contains("secret"))
        }
    }
}

/// Checks that the evidence is kept as it came.
private func expectKept(
    _ registration: DeviceRegistration, _ form: JSONValue, _ challenge: [UInt8],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let object = try #require(registration.attestationObject, sourceLocation: sourceLocation)
    #expect(form["attestation"]["attestation_object"] == JSONValue.base64(object), sourceLocation: sourceLocation)
    #expect(registration.clientDataHash == SHA256Digest.hash(challenge).bytes, sourceLocation: sourceLocation)
}

/// A record that registers a device, loses its answer, and is away for a while.
private final class ForgetfulStore: ForwardingStore {
    let memory: MemoryCaptureStore
    private let state: Mutex<(faults: [StoreError.Code], calls: Int)>

    init(_ memory: MemoryCaptureStore, faults: [StoreError.Code]) {
        self.memory = memory
        state = Mutex((faults, 0))
    }

    var calls: Int { state.withLock { $0.calls } }

    func register(_ registration: DeviceRegistration) async throws(StoreError) -> RegistrationOutcome {
        let (call, fault) = state.withLock { state -> (Int, StoreError.Code?) in
            state.calls += 1
            return (state.calls, state.calls > 1 && !state.faults.isEmpty ? state.faults.removeFirst() : nil)
        }
        if let fault { throw StoreError(fault, "away") }
        let outcome = try await memory.register(registration)
        if call == 1 { throw StoreError(.outcomeUnknown, "the connection broke") }
        return outcome
    }
}
