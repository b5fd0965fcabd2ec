import CaptureModel
import CaptureQueue
import CaptureStore
import FoundationEssentials
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Dead letters that Redis has lost", .timeLimit(.minutes(3)))
struct LostDeadLetterTests {
    /// Gives up everything that waits.
    private func bury(_ fixture: IntakeFixture) async throws {
        let queue = fixture.queue.queue()
        let settlements = try await queue.claimNow(100, captures: 9).map { lease in
            LaneSettlement(
                token: lease.token, device: lease.device,
                items: lease.ids.map { .init(id: $0, disposition: .dead(.bundleCorrupt, fault: "test")) },
                continuation: .ready)
        }
        let outcomes = try await queue.settle(settlements)
        #expect(!outcomes.isEmpty && outcomes.allSatisfy { $0 == .settled })
    }

    /// Claims everything that waits; the captures that say that they are redriven.
    private func redriven(_ fixture: IntakeFixture) async throws -> Set<CaptureID> {
        let leases = try await fixture.queue.queue().claimNow(100, captures: 9)
        let jobs = leases.flatMap(\.jobs).compactMap { if case .valid(let job) = $0 { job } else { nil } }
        return Set(jobs.filter(\.isRedriven).map(\.id))
    }

    @Test func `a dead letter that a full sweep has seen stays one, and comes back redriven`() async throws {
        try await IntakeFixture.with(outside: MemoryBundleStore(named: .filesystem)) { fixture async throws in
            try await fixture.running {
                var round = try await fixture.firstTurn()
                let first = try await fixture.upload(1, of: DeviceID(UUID())).id
                try await bury(fixture)
                round = try await fixture.firstTurn()
                let load = try await fixture.queue.queue().load()
                #expect(load.deadLetters == 1 && load.captures == 0)
                try await fixture.queue.redis("FLUSHALL")
                try await fixture.reconciler.turn(&round)
                #expect(try await redriven(fixture) == [first])
            }
        }
    }

    @Test(arguments: [1, 4])
    func `dead letters that died after their rows were passed come back redriven, without a full sweep`(
        partitions: Int
    ) async throws {
        try await IntakeFixture.with(partitions: partitions, outside: MemoryBundleStore(named: .filesystem)) {
            fixture async throws in
            try await fixture.running {
                var configuration = IntakeReconciler.Configuration()
                configuration.grace = .zero
                var round = ReconcilerRound(configuration)
                try await fixture.reconciler.turn(&round)
                // More than a page of them.
                var ids: Set<CaptureID> = []
                for _ in 0..<20 { ids.insert(try await fixture.upload(1, of: DeviceID(UUID())).id) }
                try await fixture.reconciler.turn(&round)
                try await bury(fixture)
                let plan = round.plan(broken: [], at: .now)
                guard case .sweep(let place, _) = plan, place > 0 else {
                    Issue.record("not a sweep of what is new: \(plan)")
                    return
                }
                try await fixture.reconciler.turn(&round)
                try await fixture.queue.redis("FLUSHALL")
                try await fixture.reconciler.turn(&round)
                #expect(try await redriven(fixture) == ids)
            }
        }
    }
}
