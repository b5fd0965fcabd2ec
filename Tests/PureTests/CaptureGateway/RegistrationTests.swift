import AppAttest
import CaptureModel
import CaptureQueue
import CaptureStore
import Crypto
import DeviceSimulator
import HTTPTypes
import NIOHTTP1
import Observability
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

    @Test func `a key is registered once, however many race for it`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let phone = fixture.phone
            var forms: [JSONValue] = []
            for _ in 0..<8 { forms.append(try fixture.form(phone, await gateway.challenge())) }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for form in forms { group.addTask { try await gateway.post(path, form).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 409, count: 7))
            let late = try await gateway.post(path, fixture.form(phone, gateway.challenge()))
            #expect(late.code == "CONFLICT")
        }
    }

    @Test func `an app whose 201 was lost attests its key once more, and the 409 names its device`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let phone = fixture.phone
            let id = try await fixture.register(phone, gateway)
            let again = try await gateway.post(path, fixture.form(phone, gateway.challenge()))
            #expect(again.status == 409 && again.code == "CONFLICT" && again.heldBy == "\(id)")
            let forged = try await gateway.post(path, fixture.form(phone, gateway.challenge(), flaw: .counterNotZero))
            #expect(forged.status == 409 && forged.code == "CONFLICT" && forged.heldBy == nil)
            _ = try await fixture.store.revoke(id, at: fixture.time.now, reason: "lost", actor: "tests")
            let revoked = try await gateway.post(path, fixture.form(phone, gateway.challenge()))
            #expect(revoked.status == 409 && revoked.code == "CONFLICT" && revoked.heldBy == nil)
        }
    }

    @Test func `a key that is taken is told to be, though the record goes away before it says by whom`() async throws {
        var fixture = try GatewayFixture()
        fixture.dependencies.store = UncommunicativeStore(memory: fixture.store)
        try await fixture.run { [fixture] gateway in
            let phone = fixture.phone
            _ = try await fixture.register(phone, gateway)
            let again = try await gateway.post(path, fixture.form(phone, gateway.challenge()))
            #expect(again.status == 409 && again.code == "CONFLICT" && again.heldBy == nil)
        }
    }

    @Test func `a 409 names no device to a key that nobody attested`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let key = Curve25519.Signing.PrivateKey()
            _ = try await fixture.register(key, gateway)
            let again = try await gateway.post(path, fixture.form(key, gateway.challenge()))
            #expect(again.status == 409 && again.code == "CONFLICT" && again.heldBy == nil)
        }
    }

    @Test func `a 409 names no device that was registered for another app, environment or root`() async throws {
        var fixture = try GatewayFixture()
        let stranger = try TestCertificateAuthority(name: "Other", at: fixture.time.now.date)
        let otherApp = "ABCDE12345.com.example.other"
        fixture.configuration.trust.appIDs.append(try #require(AppID(otherApp)))
        fixture.configuration.trust.environments = [.production, .development]
        fixture.configuration.trust.roots.append(try TrustRoot(pem: stranger.rootPEM))
        try await fixture.run { [fixture] gateway in
            func post(
                _ phone: SimulatedDevice, _ authority: TestCertificateAuthority
            ) async throws -> GatewayCaller.Answer {
                let challenge = try await gateway.challenge()
                var form: JSONValue? = try fixture.form(phone, challenge)
                let object = try phone.attest(
                    clientDataHash: SHA256Digest.hash(challenge).bytes, authority: authority, at: fixture.time.now.date)
                form["attestation"]["attestation_object"] = .base64(object)
                return try await gateway.post(path, form)
            }
            let key = P256.Signing.PrivateKey()
            let first = SimulatedDevice(appID: GatewayFixture.appID, key: key)
            #expect(try await post(first, fixture.authority).status == 201)
            let others: [(String, KeyEnvironment, TestCertificateAuthority)] = [
                (otherApp, .production, fixture.authority), (GatewayFixture.appID, .development, fixture.authority),
                (GatewayFixture.appID, .production, stranger),
            ]
            for (appID, environment, authority) in others {
                // Evidence of this kind is good.
                let fresh = try await post(SimulatedDevice(appID: appID, environment: environment), authority)
                #expect(fresh.data["attestation_level"] == "secure_enclave")
                let same = SimulatedDevice(appID: appID, environment: environment, key: key)
                let answer = try await post(same, authority)
                #expect(answer.status == 409 && answer.code == "CONFLICT" && answer.heldBy == nil)
            }
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

    @Test func `a field at fault is named, and the challenge stays good`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let form = try fixture.form(fixture.phone, await gateway.challenge())
            func broken(_ change: (inout JSONValue?) -> Void) -> JSONValue? {
                var copy: JSONValue? = form
                change(&copy)
                return copy
            }
            let cases: [(String, JSONValue?)] = [
                ("platform", broken { $0["platform"] = nil }), ("platform", broken { $0["platform"] = "android" }),
                ("model", broken { $0["model"] = nil }), ("model", broken { $0["model"] = "" }),
                ("model", broken { $0["model"] = .string(String(repeating: "x", count: 65)) }),
                ("model", broken { $0["model"] = "a\nb" }),
                ("has_lidar", broken { $0["has_lidar"] = nil }), ("has_lidar", broken { $0["has_lidar"] = "yes" }),
                ("attestation", broken { $0["attestation"] = nil }),
                ("attestation", broken { $0["attestation"] = "x" }),
                ("attestation.key_id", broken { $0["attestation"]["key_id"] = nil }),
                ("attestation.key_id", broken { $0["attestation"]["key_id"] = "%%%" }),
                ("attestation.key_id", broken { $0["attestation"]["key_id"] = "AAAA" }),
                ("attestation.attestation_object", broken { $0["attestation"]["attestation_object"] = "" }),
                ("attestation.challenge", broken { $0["attestation"]["challenge"] = "AAAA" }),
                (
                    "public_key",
                    broken {
                        $0["public_key"] = ["algorithm": "ed25519", "key": "", "challenge": "", "signature": ""]
                    }
                ),
                (
                    "public_key.algorithm",
                    [
                        "platform": "ios", "model": "x", "has_lidar": true,
                        "public_key": ["algorithm": "rsa", "key": "", "challenge": "", "signature": ""],
                    ]
                ),
            ]
            for (field, body) in cases {
                let answer = try await gateway.post(path, body)
                #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR" && answer.field == field)
            }
            #expect(try await gateway.post(path, form).status == 201)
        }
    }

    @Test(arguments: ["", "{", "[]", "null", "7", "\u{1}", #"{"platform":"ios","#])
    func `what is not a JSON object is refused`(text: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let answer = try await gateway.send(.POST, path, body: Array(text.utf8))
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR")
            #expect(answer.json["meta"]["request_id"].string != nil)
        }
    }

    /// Names of combining marks are compared in a time that grows with the square of their length: seconds for each
    /// request, asked for by anybody.
    @Test(arguments: [
        (
            #"{""# + String(repeating: "\u{345}", count: 15_000) + String(repeating: "\u{327}", count: 15_000)
                + #"":1}"#, "128"
        ),
        (#"{"platform":"ios","platform":"ios"}"#, "twice"),
        (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), "too deep"),
    ])
    func `what no decoder should see is refused before one does`(text: String, why: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let answer = try await gateway.send(.POST, path, body: Array(text.utf8))
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR")
            #expect(answer.json["error"]["message"].string?.contains(why) == true)
        }
    }

    @Test func `too large a body and another type are refused, and the connection goes on`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let large = try await gateway.send(.POST, path, body: Array(repeating: 0x20, count: 300_000))
            #expect(large.status == 413 && large.code == "PAYLOAD_TOO_LARGE")
            let text = try await gateway.send(
                .POST, path, headers: ["Content-Type": "text/plain"], body: Array("{}".utf8))
            #expect(text.status == 415 && text.code == "UNSUPPORTED_MEDIA_TYPE")
            #expect(try await gateway.get("/healthz").status == 200)
        }
    }

    @Test(arguments: APIError.Code.allCases)
    func `only a fault of the system counts as an error`(code: APIError.Code) {
        #expect((Registrar.outcome(of: code) == .error) == (code.status.code >= 500))
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

extension GatewayCaller.Answer {
    /// The device that a refusal says the caller's key is registered as.
    fileprivate var heldBy: String? { json["error"]["details"]["device_id"].string }
}

/// A record that is away whenever it is asked whose a key is.
private struct UncommunicativeStore: ForwardingStore {
    let memory: MemoryCaptureStore

    func holder(of key: KeyID) async throws(StoreError) -> Device? { throw StoreError(.unavailable, "away") }
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
