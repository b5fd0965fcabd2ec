import CaptureModel
import CaptureQueue
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("A partition that refuses to be restored", .timeLimit(.minutes(2)))
struct RefusingPartitionTests {
    /// A device of a partition.
    private func device(_ number: Int, _ fixture: IntakeFixture) -> DeviceID {
        while true {
            let device = DeviceID(UUID())
            if fixture.queue.keyspace.partition(of: device).number == number { return device }
        }
    }

    private func key(_ partition: Int, _ name: String, _ fixture: IntakeFixture) -> RedisArgument {
        .string("{\(fixture.queue.keyspace.queue):\(partition)}:\(name)")
    }

    private func areRestored(_ fixture: IntakeFixture) async throws -> [Bool] {
        try await fixture.queue.queue().restorations().map(\.isRestored)
    }

    /// As in a rolling upgrade, which loads the library again.
    @Test func `a partition that refuses, as Redis forbids its keys, keeps no upload from the others`() async throws {
        try await IntakeFixture.with(partitions: 2, outside: MemoryBundleStore(named: .filesystem)) {
            fixture async throws in
            try await fixture.running {
                var round = try await fixture.firstTurn()
                let devices = [device(0, fixture), device(1, fixture)]
                for device in devices { _ = try await fixture.upload(1, of: device) }
                let allowed = RedisArgument.string("~{\(fixture.queue.keyspace.queue):0}:*")
                try await fixture.queue.redis("ACL", "SETUSER", "default", "resetkeys", allowed)
                try await fixture.queue.redis("FUNCTION", "LOAD", "REPLACE", .string(FunctionLibrary.current.source))
                try await fixture.reconciler.turn(&round)
                #expect(try await areRestored(fixture) == [true, false])
                #expect(try await !fixture.upload(2, of: devices[0]).isDuplicate)
                // The sweeps of the others go on.
                for _ in 0..<2 { try await fixture.reconciler.turn(&round) }
                #expect(round.refused.keys.elementsEqual([1]))
                try await fixture.queue.redis("ACL", "SETUSER", "default", "allkeys")
                for _ in 0..<3 { try await fixture.reconciler.turn(&round) }
                #expect(try await areRestored(fixture) == [true, true])
                #expect(round.refused.isEmpty)
                #expect(try await !fixture.upload(2, of: devices[1]).isDuplicate)
            }
        }
    }

    /// By a session that was left in an open transaction, or a settlement that waits for a standby.
    @Test func `a partition with a row that somebody keeps locked keeps no upload from the others`() async throws {
        try await IntakeFixture.with(
            partitions: 2, restoreWait: .seconds(60), outside: MemoryBundleStore(named: .filesystem),
            configure: { $0.interval = .milliseconds(50) }
        ) { fixture async throws in
            let devices = [device(0, fixture), device(1, fixture)]
            try await fixture.running(reconciling: true) {
                var ids: [[CaptureID]] = []
                for device in devices { ids.append([try await fixture.upload(1, of: device).id]) }
                try await fixture.locking(ids[0][0]) {
                    try await fixture.queue.redis("FLUSHALL")
                    ids[1].append(try await fixture.upload(2, of: devices[1]).id)
                    #expect(try await areRestored(fixture) == [false, true])
                }
                ids[0].append(try await fixture.upload(2, of: devices[0]).id)
                let leases = try await fixture.queue.queue().claimNow(captures: 9)
                #expect(Set(leases.map(\.ids)) == Set(ids))
            }
        }
    }

    /// Redis forgets a result after a while, and the bundle later.
    @Test func `a partition that refuses keeps no bundle of another one from being known by its result`() async throws {
        try await IntakeFixture.with(partitions: 2, outside: MemoryBundleStore(named: .filesystem)) {
            fixture async throws in
            let device = try await fixture.store.registered()
            try await fixture.running {
                try await fixture.firstTurn()
                let first = try await fixture.upload(1, of: device.id).id
                try await fixture.settle(of: device)
                let keys = fixture.queue.keyspace.partition(of: device.id)
                try await fixture.queue.redis("DEL", .string(keys.settled(first)))
                let allowed = RedisArgument.string("~{\(fixture.queue.keyspace.queue):\(keys.number)}:*")
                try await fixture.queue.redis("ACL", "SETUSER", "default", "resetkeys", allowed)
                let known = Acceptance.Accepted(id: first, state: .verified, isDuplicate: true)
                #expect(try await fixture.upload(1, of: device.id) == known)
            }
        }
    }

    @Test(arguments: ["restored", "limits", "heads"])
    func `a partition that refuses, as a key is of another type, has all its captures back once that is mended`(
        name: String
    ) async throws {
        try await IntakeFixture.with(partitions: 2, outside: MemoryBundleStore(named: .filesystem)) {
            fixture async throws in
            try await fixture.running {
                var round = try await fixture.firstTurn()
                let devices = [device(0, fixture), device(1, fixture)]
                var ids: [[CaptureID]] = [[], []]
                for (number, device) in devices.enumerated() {
                    for counter in 1...3 as ClosedRange<UInt32> {
                        ids[number].append(try await fixture.upload(counter, of: device).id)
                    }
                }
                try await fixture.queue.redis("FLUSHALL")
                try await fixture.queue.redis("XADD", key(1, name, fixture), "*", "field", "x")
                for _ in 0..<4 { try await fixture.reconciler.turn(&round) }
                #expect(try await areRestored(fixture) == [true, false])
                ids[0].append(try await fixture.upload(4, of: devices[0]).id)
                try await fixture.queue.redis("DEL", key(1, name, fixture))
                for _ in 0..<3 { try await fixture.reconciler.turn(&round) }
                #expect(try await areRestored(fixture) == [true, true])
                let leases = try await fixture.queue.queue().claimNow(captures: 9)
                #expect(Set(leases.map(\.ids)) == Set(ids))
            }
        }
    }
}
