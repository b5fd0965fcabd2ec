import CaptureModel
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("What the record notes of a compromised key", .timeLimit(.minutes(2)))
struct CompromiseNoteTests {
    /// As PostgreSQL's store has it.
    @Test func `a compromised key is noted for each registration that is changed, and for the one that is named`()
        async throws
    {
        let fixture = try GatewayFixture()
        let (store, now) = (fixture.store, fixture.time.now)
        let key = fixture.phone
        func register(_ level: AttestationLevel) async throws -> DeviceID {
            let device = Device.phone(
                .of(level, publicKey: key.publicKey, appID: key.appID, reason: Device.attestationMissing),
                model: key.model, registeredAt: now)
            let registration = DeviceRegistration(
                device: device, attestationObject: [1], clientDataHash: [1], receipt: [])
            #expect(try await store.register(registration) == .created)
            return device.id
        }
        let devices = [try await register(.unverified), try await register(.secureEnclave)]
        for (ago, expected) in [(60, [1, 1]), (30, [1, 2])] {
            _ = try await store.compromise(
                devices[1], since: now.advanced(by: .seconds(-ago)), reason: "stolen", actor: "alice")
            var noted: [Int] = []
            for device in devices {
                let trail = try await store.auditTrail(of: "\(device)", limit: 10)
                noted.append(trail.count { $0.action == "device.compromise" })
            }
            #expect(noted == expected)
        }
    }

    @Test func `a compromised key is not what a device is only revoked for`() async throws {
        let fixture = try CompromiseScene.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let form = [("from", CompromiseScene.since(fixture).rfc3339), ("reason", "lost"), ("compromised", "")]
            let done = try await login.post("/dashboard/devices/\(device)/revoke", form)
            #expect(done.deed?.hasSuffix("?done=revoked&count=1") == true)
            let trail = try await fixture.store.auditTrail(of: "\(device)", limit: 1)
            #expect(trail.map(\.action) == ["device.revoke"] && trail.map(\.at) == [fixture.time.now])
            let record = try #require(try await fixture.store.record(of: device))
            #expect(record.compromise == nil)
        }
    }

    @Test func `a compromised key is answered with the moment that holds: of two the earlier one`() async throws {
        let fixture = try CompromiseScene.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let first = CompromiseScene.since(fixture)
            let (later, earlier) = (first.advanced(by: .seconds(30)), first.advanced(by: .seconds(-30)))
            let moments: [(since: Timestamp?, held: Timestamp)] = [
                (first, first), (later, first), (nil, first), (earlier, earlier),
            ]
            for (since, held) in moments {
                var form: JSONValue? = ["reason": "stolen"]
                form["compromised_since"] = since.map { JSONValue.string($0.rfc3339) }
                let answer = try await gateway.post(
                    "/api/v1/devices/\(device)/revoke", form, headers: CompromiseScene.authorization)
                #expect(answer.status == 200 && answer.data["revoked_at"].string == held.rfc3339)
            }
        }
    }

    /// The gateway's clock may be behind, and what is verified until the record has the key was received before.
    @Test func `a compromised key is revoked from now on by the record's clock, and not by the gateway's`() async throws
    {
        var made = try CompromiseScene.fixture()
        let later = made.time.now.advanced(by: .seconds(3))
        made.dependencies.store = MemoryCaptureStore(time: { later })
        let fixture = made
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let answer = try await gateway.post(
                "/api/v1/devices/\(device)/revoke", ["reason": "lost"], headers: CompromiseScene.authorization)
            #expect(answer.status == 200 && answer.data["revoked_at"].string == later.rfc3339)
        }
    }
}
