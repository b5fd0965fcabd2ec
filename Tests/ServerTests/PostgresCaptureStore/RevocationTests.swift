import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import TestSupport
import Testing

@Suite("Revocation, in every store", .timeLimit(.minutes(3)))
struct RevocationTests {
    @Test(arguments: StoreKind.allCases)
    func `a revocation by a clock that is ahead counts from now on`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let ahead = Timestamp.systemTime().advanced(by: .seconds(3600))
            #expect(try await store.revoke(device.id, at: ahead, reason: "lost", actor: "op"))
            let revokedAt = try #require(try await store.devices([device.id])[device.id]?.revokedAt)
            #expect(revokedAt <= Timestamp.systemTime())
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a compromise noted by a clock that is ahead counts from now on`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let ahead = Timestamp.systemTime().advanced(by: .seconds(3600))
            let noted: NotedCompromise?
            if let memory = store as? MemoryCaptureStore {
                noted = try await memory.compromise(device.id, since: ahead, reason: "stolen", actor: "op")
            } else {
                let postgres = try #require(store as? PostgresCaptureStore)
                noted = try await postgres.compromise(device.id, since: ahead, reason: "stolen", actor: "op")
            }
            let revokedAt = try #require(try await store.devices([device.id])[device.id]?.revokedAt)
            let now = Timestamp.systemTime()
            #expect(noted?.affected == 0 && revokedAt <= now)
            #expect(try await store.record(of: device.id)?.compromise?.since == revokedAt)
            let late = ExaminedCapture.sample(device, counter: 1, receivedAt: now)
            #expect(try await store.settle([late], policy: .strict).map(\.reason) == [.deviceRevoked])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `revoking twice keeps the earlier moment and notes both`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(try await store.revoke(device.id, at: moment(9), reason: "a", actor: "one"))
            #expect(try await store.revoke(device.id, at: moment(12), reason: "b", actor: "two"))
            #expect(try await store.devices([device.id])[device.id]?.revokedAt == moment(9))
            #expect(try await store.revoke(device.id, at: moment(3), reason: "c", actor: "three"))
            let record = try #require(try await store.record(of: device.id))
            #expect(record.registration.device.revokedAt == moment(3))
            #expect(record.revokedReason == "c")
            #expect(record.revokedBy == "three")
            #expect(try await store.revoke(DeviceID(UUID()), at: moment(9), reason: "a", actor: "one") == false)
            let trail = try await store.auditTrail(of: "\(device.id)", limit: 10)
            #expect(trail.map(\.action) == ["device.revoke", "device.revoke", "device.revoke", "device.register"])
            let latest = try #require(trail.first)
            #expect(latest.details["reason"] == "c" && latest.details.count == 2)
            #expect(latest.details["since"]?.hasPrefix(moment(3).rfc3339.prefix(19)) == true)
            #expect(Timestamp.systemTime().since(latest.at) < .seconds(600), "when it was done, and not from when on")
        }
    }
}
