import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct `What becomes of devices` {
    private typealias Listed = (device: DeviceID?, reasons: [Reason])

    @Test func `a compromised key's verified results since then are marked and listed, and nothing later is taken`()
        async throws
    {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered()
            let early = (1...2).map { ExaminedCapture.sample(device, counter: $0, receivedAt: moment(Int($0))) }
            let late = (3...5).map { ExaminedCapture.sample(device, counter: $0, receivedAt: moment(Int($0) * 10)) }
            let rejected = ExaminedCapture.sample(
                device, counter: 9, rejection: .signatureInvalid, receivedAt: moment(60))
            _ = try await store.settle(early + late + [rejected], policy: .strict)

            let count = try await store.compromise(
                device.id, since: moment(30), reason: "phone stolen", actor: "alice")
            #expect(count?.affected == 3)
            let first = try await store.affected(of: device.id, after: 0, limit: 2)
            #expect(first.map(\.counter) == [3, 4])
            let rest = try await store.affected(of: device.id, after: 4, limit: 2)
            #expect(rest.map(\.capture) == [late[2].job.id] && rest.map(\.receivedAt) == [moment(50)])

            let results = try await store.results(of: (early + late).map(\.job.id))
            #expect(results.count == 5)
            #expect(early.allSatisfy { results[$0.job.id]?.compromisedSince == nil })
            #expect(late.allSatisfy { results[$0.job.id]?.compromisedSince == moment(30) })
            #expect(results.values.allSatisfy { $0.verdict == .verified }, "a verdict is for good")
            var filter = CaptureFilter()
            for (device, reasons) in [(nil, []), (device.id, []), (device.id, [.signatureInvalid])] as [Listed] {
                (filter.device, filter.reasons) = (device, reasons)
                let listed = try await store.list(filter, after: nil, limit: 10)
                #expect(listed.count == (reasons.isEmpty ? 6 : 1))
                for capture in listed {
                    let isMarked = capture.receivedAt >= moment(30)
                    #expect(capture.result?.compromisedSince == (isMarked ? moment(30) : nil))
                }
            }
            (filter.device, filter.reasons) = (nil, [.signatureInvalid])
            let byReason = try await store.list(filter, after: nil, limit: 10)
            #expect(byReason.map { $0.result?.compromisedSince } == [moment(30)])
            #expect(try await store.listDevices(after: nil, limit: 10).map(\.compromisedSince) == [moment(30)])

            let after = try await store.settle([.sample(device, counter: 10, receivedAt: moment(31))], policy: .strict)
            let before = try await store.settle([.sample(device, counter: 11, receivedAt: moment(29))], policy: .strict)
            #expect(after.map(\.reason) == [.deviceRevoked] && before.map(\.reason) == [nil])
        }
    }

    /// An unverified registration of a key is followed by an attested one: both are of whoever has the key.
    @Test func `a compromise concerns every registration of the key, and the audit has each that is changed`()
        async throws
    {
        try await withPostgresStore { store, _ async throws in
            let first = DeviceRegistration.sample(level: .unverified)
            let second = DeviceRegistration.sample(at: moment(25))
            let other = try await store.registered(key: 2)
            #expect(try await store.register(first) == .created)
            let early = ExaminedCapture.sample(first.device, counter: 1, receivedAt: moment(20))
            _ = try await store.settle([early, .sample(other, counter: 1, receivedAt: moment(20))], policy: .strict)
            #expect(try await store.register(second) == .created)
            let late = (2...3).map { ExaminedCapture.sample(second.device, counter: $0, receivedAt: moment(30)) }
            _ = try await store.settle(late, policy: .strict)

            for device in [first.device.id, second.device.id] {
                let tally = try await store.tally(ofKeyOf: device, from: moment(15))
                #expect(tally == DeviceTally(verified: 3, rejected: 0, reasons: [:], open: 0))
            }
            #expect(try await store.tally(ofKeyOf: first.device.id, from: moment(25)).verified == 2)
            let count = try await store.compromise(
                second.device.id, since: moment(15), reason: "stolen", actor: "alice")
            #expect(count?.affected == 3)
            func noted(_ device: DeviceID) async throws -> Int {
                try await store.auditTrail(of: "\(device)", limit: 10).count { $0.action == "device.compromise" }
            }
            #expect(try await noted(first.device.id) == 1)
            #expect(try await noted(second.device.id) == 1)
            #expect(try await noted(other.id) == 0)
            // A later moment changes nothing; the audit of the named device alone notes it.
            _ = try await store.compromise(
                second.device.id, since: moment(16), reason: "again", actor: "alice")
            #expect(try await noted(first.device.id) == 1)
            #expect(try await noted(second.device.id) == 2)
        }
    }

    /// With a window of counters, a later capture may be received first.
    @Test func `what a compromised key has signed is listed in the order of receipt, page by page`() async throws {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered()
            let counters: [UInt32] = [4, 7, 5, 9, 6]
            let captures = counters.enumerated().map {
                ExaminedCapture.sample(device, counter: $1, receivedAt: moment(30 + $0))
            }
            let decisions = try await store.settle(captures, policy: .window(10))
            #expect(decisions.allSatisfy { $0.verdict == .verified })
            _ = try await store.compromise(device.id, since: moment(31), reason: "stolen", actor: "alice")
            var (listed, after): ([UInt32], UInt32) = ([], 0)
            while let next = try await store.affected(of: device.id, after: after, limit: 1).first, listed.count < 9 {
                listed.append(next.counter)
                after = next.counter
            }
            #expect(listed == Array(counters[1...]))
        }
    }

    @Test func `of two moments the earlier one holds, a revocation's as well`() async throws {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered()
            #expect(try await store.revoke(device.id, at: moment(20), reason: "lost", actor: "bob"))
            for (since, expected) in [(30, 30), (40, 30), (10, 10)] {
                _ = try await store.compromise(
                    device.id, since: moment(since), reason: "since \(since)", actor: "alice")
                let record = try #require(try await store.record(of: device.id))
                let compromise = Compromise(since: moment(expected), reason: "since \(expected)", actor: "alice")
                #expect(record.compromise == compromise)
                // A revocation that was earlier keeps whose it is, and why.
                let isRevocations = expected > 20
                #expect(record.registration.device.revokedAt == moment(isRevocations ? 20 : 10))
                #expect(record.revokedReason == (isRevocations ? "lost" : "since 10"))
                #expect(record.revokedBy == (isRevocations ? "bob" : "alice"))
            }
            let trail = try await store.auditTrail(of: "\(device.id)", limit: 10)
            #expect(trail.filter { $0.action == "device.compromise" }.count == 3)
            #expect(trail.first?.details["since"] == "2026-09-21T14:13:30.000000Z")
            let nobody = DeviceID(UUID())
            #expect(
                try await store.compromise(nobody, since: moment(1), reason: "x", actor: "y") == nil)
            #expect(try await store.affected(of: nobody, after: 0, limit: 10).isEmpty)
        }
    }
}
