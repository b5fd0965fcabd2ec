import AppAttest
import CaptureModel
import CaptureQueue
import CaptureStore
import Crypto
import DeviceSimulator
import TestSupport
import Testing

@testable import CaptureGateway

private let path = "/api/v1/devices/register"

@Suite(.timeLimit(.minutes(1))) struct `Keys that are registered already` {
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
