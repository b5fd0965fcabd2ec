import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Many lanes that are given back with one call.
@Suite("Lanes that are settled together", .timeLimit(.minutes(2)))
struct SettledTogetherTests {
    /// Queues captures, each of a device of its own.
    private func fill(_ fixture: QueueFixture, _ count: Int, seed: UInt64) async throws {
        var maker = SubmissionMaker(seed: seed)
        for _ in 0..<count { try await fixture.upload(maker.submission(of: maker.device())) }
    }

    @Test func `lanes are settled whatever lies between their tokens`() async throws {
        try await QueueFixture.with { fixture in
            try await fill(fixture, 11, seed: 90)
            let (own, other) = (fixture.queue("a"), fixture.queue("b"))
            var (held, others): ([Lease], [Lease]) = ([], [])
            for round in 0..<3 {
                held += try await own.claimNow(1)
                if round < 2 { others += try await other.claimNow(4) }
            }
            #expect(held.count == 3 && others.count == 8)
            let outcomes = try await own.settle(held.map { $0.settling() })
            #expect(outcomes == [.settled, .settled, .settled])
            let load = try await own.load()
            #expect(load.leasedLanes == 8 && load.readyLanes == 0)
            #expect(try await other.settle(others.reversed().map { $0.settling() }).allSatisfy { $0 == .settled })
            #expect(try await QueueDoctor(queue: own).examine().findings == [])
        }
    }

    @Test func `a lease that stands twice in one call is given back once`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 91)
            let device = maker.device()
            let captures = [maker.submission(of: device), maker.submission(of: device)]
            for capture in captures { try await fixture.upload(capture) }
            try await fill(fixture, 2, seed: 92)
            let queue = fixture.queue()
            let leases = try await queue.claimNow(3, captures: 1)
            let first = try #require(leases.first { $0.device == device })
            let outcomes = try await queue.settle(leases.map { $0.settling() } + [first.settling(0)])
            #expect(outcomes == [.settled, .settled, .settled, .fenced])
            #expect(try await queue.claimNow().map(\.ids) == [[captures[1].id]])
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    /// As after somebody has added a token by hand.
    @Test(arguments: [nil, 0] as [Int?])
    func `a lane that stands in one call by two tokens is emptied once`(count: Int?) async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 93)
            try await fixture.upload(capture)
            let ready = RedisArgument.string(fixture.keyspace[0].ready)
            try await fixture.redis("XADD", ready, "*", "device", .string("\(capture.device)"))
            let queue = fixture.queue()
            let leases = try await queue.claimNow()
            try #require(leases.map(\.ids) == [[capture.id], [capture.id]])
            let outcomes = try await queue.settle([leases[0].settling(), leases[1].settling(count)])
            #expect(outcomes == [.settled, count == 0 ? .settled : .mismatch])
            #expect(try await queue.load().readyLanes == 0)
            let stats = RedisArgument.string(fixture.keyspace[0].stats)
            let counts = try await fixture.redis("HMGET", stats, "queued", "bytes", "verified").array
            #expect(counts?.map(\.int) == [0, 0, 1])
        }
    }
}
