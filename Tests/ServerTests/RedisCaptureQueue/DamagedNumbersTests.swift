import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Redis has no rollback: a function that stopped at a field that is not a number would leave its lane half given back.
@Suite("A number that is damaged in Redis", .timeLimit(.minutes(2)))
struct DamagedNumbersTests {
    /// Uploads two captures of one device, has a worker claim both, and damages the second one's attempts.
    private func claimed(_ attempts: String?, _ fixture: QueueFixture) async throws -> Lease {
        var maker = SubmissionMaker(seed: 70)
        let device = maker.device()
        let captures = (0..<2).map { _ in maker.submission(of: device) }
        for capture in captures { try await fixture.upload(capture) }
        let lease = try await fixture.queue("a").claimOne()
        #expect(lease.ids == captures.map(\.id))
        let job = RedisArgument.string(fixture.keyspace.partition(of: device).job(captures[1].id))
        if let attempts {
            try await fixture.redis("HSET", job, "attempts", .string(attempts))
        } else {
            try await fixture.redis("HDEL", job, "attempts")
        }
        return lease
    }

    @Test(
        arguments: [nil, "much", ""] as [String?],
        [LaneSettlement.Continuation.ready, .handedBack, .delayed(.zero, fault: "test")])
    func `a damaged number of attempts is none, and the lane is given back`(
        attempts: String?, continuation: LaneSettlement.Continuation
    ) async throws {
        try await QueueFixture.with { fixture in
            let lease = try await claimed(attempts, fixture)
            let queue = fixture.queue("a")
            #expect(try await queue.settle([lease.settling(1, continuation)]) == [.settled])
            try await fixture.passTime()
            _ = try await queue.promote()
            #expect(try await queue.claimOne().ids == [lease.ids[1]])
            #expect(try await queue.status(of: [lease.ids[1]]).first??.attempts == 1)
        }
    }

    @Test(arguments: [nil, "much", ""] as [String?])
    func `a damaged number of attempts keeps no worker from giving up what it holds`(attempts: String?) async throws {
        try await QueueFixture.with { fixture in
            let lease = try await claimed(attempts, fixture)
            let dying = fixture.queue("a")
            let surrenders = dying.surrenders(of: [], fault: "it did not end")
            try #require(surrenders.count == 1)
            #expect(try await fixture.client.send(surrenders[0]) == .integer(1))
            try await fixture.passTime()
            let heir = fixture.queue("b")
            #expect(try await heir.promote() == 1)
            #expect(try await heir.claimOne().ids == lease.ids)
        }
    }

    @Test func `a damaged number of takeovers begins anew`() async throws {
        try await QueueFixture.with { fixture in
            let lease = try await claimed(nil, fixture)
            let job = fixture.keyspace.partition(of: lease.device).job(lease.ids[0])
            try await fixture.redis("HSET", .string(job), "takeovers", "much")
            try await fixture.passTime()
            #expect(try await fixture.queue("b").takeOver()?.ids == [lease.ids[0]])
            #expect(try await fixture.redis("HGET", .string(job), "takeovers").int == 1)
        }
    }

    @Test func `a damaged number of bytes and captures begins anew, and uploads and results go on`() async throws {
        try await QueueFixture.with { fixture in
            let lease = try await claimed("1", fixture)
            let keys = fixture.keyspace[0]
            let damage = { () async throws -> Void in
                try await fixture.redis("HSET", .string(keys.laneBytes), .string("\(lease.device)"), "much")
                for count in ["queued", "bytes", "accepted", "verified"] {
                    try await fixture.redis("HSET", .string(keys.stats), .string(count), "much")
                }
            }
            try await damage()
            var maker = SubmissionMaker(seed: 71)
            let third = maker.submission(of: lease.device)
            #expect(try await fixture.upload(third) == .accepted)
            try await damage()
            let queue = fixture.queue("a")
            #expect(try await queue.settle([lease.settling(1)]) == [.settled])
            let rest = try await queue.claimOne()
            #expect(rest.ids == [lease.ids[1], third.id])
            #expect(try await queue.settle([rest.settling()]) == [.settled])
        }
    }

    @Test func `a damaged number in a key that is no hash is not counted, and nothing of a settled capture is left`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 72)
            try await fixture.upload(capture)
            let queue = fixture.queue("a")
            let lease = try await queue.claimOne()
            let keys = fixture.keyspace[0]
            try await fixture.redis("SET", .string(keys.stats), "x")
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            #expect(try await fixture.keys().filter { $0.contains("\(capture.id)") } == [keys.settled(capture.id)])
            #expect(try await fixture.redis("EXISTS", .string(keys.heads), .string(keys.laneBytes)).int == 0)
        }
    }
}
