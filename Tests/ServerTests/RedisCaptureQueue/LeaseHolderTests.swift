import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// What one worker holds, whatever others do, and however much it is.
@Suite("Leases of several workers", .timeLimit(.minutes(2)))
struct LeaseHolderTests {
    private func uploads(_ count: Int, _ maker: inout SubmissionMaker, _ fixture: QueueFixture) async throws {
        for _ in 0..<count { try await fixture.upload(maker.submission(of: maker.device())) }
    }

    /// The server forgets what a consumer holds with it.
    @Test func `a consumer that holds a lane is not removed, however long it says nothing`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 30)
            try await uploads(1, &maker, fixture)
            let ready = RedisArgument.string(fixture.keyspace[0].ready)
            let queue = fixture.queue("a")
            let lease = try await queue.claimOne()
            #expect(try await fixture.redis("FCALL", "capture_join_v1", 1, ready, 0).int == 0)
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            #expect(try await fixture.redis("FCALL", "capture_join_v1", 1, ready, 0).int == 1)
        }
    }

    @Test(arguments: [1, 3])
    func `a lease is good in the hands of its own worker only`(lanes: Int) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 31)
            try await uploads(lanes, &maker, fixture)
            let holder = fixture.queue("a")
            let settlements = try await holder.claimNow().map { $0.settling() }
            try #require(settlements.count == lanes)
            let fenced = [SettleOutcome](repeating: .fenced, count: lanes)
            #expect(try await fixture.queue("b").settle(settlements) == fenced)
            #expect(try await holder.load().captures == lanes)
            let settled = [SettleOutcome](repeating: .settled, count: lanes)
            #expect(try await holder.settle(settlements) == settled)
        }
    }

    /// A worker may hold the tokens of several lanes.
    @Test(arguments: [2, 3])
    func `a lease gives back the lane of its own device only`(lanes: Int) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 38)
            try await uploads(lanes, &maker, fixture)
            let queue = fixture.queue("a")
            let settlements = try await queue.claimNow().map { $0.settling() }
            try #require(settlements.count == lanes)
            let crossed = settlements.indices.map { index in
                let next = settlements[(index + 1) % lanes]
                return LaneSettlement(
                    token: settlements[index].token, device: next.device, items: next.items, continuation: .ready)
            }
            #expect(try await queue.settle(crossed) == [SettleOutcome](repeating: .fenced, count: lanes))
            #expect(try await queue.load().captures == lanes)
            let settled = [SettleOutcome](repeating: .settled, count: lanes)
            #expect(try await queue.settle(settlements) == settled)
        }
    }

    /// While the queue is paused, tokens that are asked for are put back.
    @Test(arguments: [false, true])
    func `a token that was taken over is not claimed once more, nor put back, by whom it was taken from`(
        isPaused: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 32)
            try await uploads(1, &maker, fixture)
            let ready = RedisArgument.string(fixture.keyspace[0].ready)
            _ = try await fixture.queue("a").claimOne()
            let pending = try await fixture.redis("XPENDING", ready, "workers", "-", "+", 1).array
            let token = try #require(pending?.first?.array?.first?.string)
            try await fixture.passTime()
            let heir = fixture.queue("b")
            let lease = try #require(try await heir.takeOver())
            if isPaused { try await heir.setPaused(since: Timestamp.systemTime()) }
            let reply = try await fixture.redis("FCALL", "capture_claim_v1", 1, ready, "a", 4, 1, .string(token))
            #expect(reply.array?.first?.string == (isPaused ? "paused" : "claimed"))
            #expect(reply.array?.count == (isPaused ? 1 : 2), "no lane: \(reply)")
            #expect(try await heir.settle([lease.settling()]) == [.settled])
        }
    }

    @Test func `whoever leaves hands back its own lanes and nobody else's`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 33)
            try await uploads(2, &maker, fixture)
            let (other, leaving) = (fixture.queue("b"), fixture.queue("a"))
            let theirs = try #require(try await other.claimNow(1).first)
            _ = try await leaving.claimOne()
            #expect(try await leaving.leave() == 1)
            let job = RedisArgument.string(fixture.keyspace[0].job(theirs.ids[0]))
            #expect(try await fixture.redis("HGET", job, "state").string == "processing")
            #expect(try await fixture.redis("HEXISTS", job, "suspect").int == 0)
            #expect(try await other.settle([theirs.settling()]) == [.settled])
        }
    }

    @Test func `nothing stays of what one call settles but its status, however many captures it is`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 35)
            for _ in 0..<64 {
                let device = maker.device()
                for _ in 0..<6 { try await fixture.upload(maker.submission(of: device)) }
            }
            let queue = fixture.queue("a")
            let leases = try await queue.claimNow(64, captures: 6)
            #expect(leases.flatMap(\.ids).count == 384)
            _ = try await queue.settle(leases.map { $0.settling() })
            let left = try await fixture.keys().filter { key in
                [":job:", ":photo:", ":depth:", ":lane:"].contains { key.contains($0) }
            }
            #expect(left.isEmpty)
        }
    }
}
