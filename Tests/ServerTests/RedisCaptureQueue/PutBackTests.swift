import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Lanes that were handed out and whose work was not begun.
@Suite("What is put back", .timeLimit(.minutes(2)))
struct PutBackTests {
    /// A capture whose assertion and metadata are about as large as they may be.
    private func large(_ maker: inout SubmissionMaker) -> CaptureSubmission {
        let small = maker.submission(of: maker.device())
        return CaptureSubmission(
            id: small.id, device: small.device, bundleDigest: small.bundleDigest, binding: small.binding,
            assertion: [UInt8](repeating: 0xA2, count: 16_000), metadata: [UInt8](repeating: 0x20, count: 65_000),
            photoDigest: small.photoDigest, depthDigest: small.depthDigest, photoBytes: small.photoBytes,
            depthBytes: small.depthBytes, receivedAt: nil, traceParent: nil, bundleStore: .filesystem)
    }

    @Test func `lanes beyond what one answer may hold wait for the next claim, at no cost`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 80)
            var waiting: Set<CaptureID> = []
            // More than the eight megabytes of an answer.
            for _ in 0..<120 {
                let capture = large(&maker)
                #expect(try await fixture.queue("gateway").enqueue(capture) == .accepted)
                waiting.insert(capture.id)
            }
            let queue = fixture.queue()
            let first = try await queue.claimNow(120)
            #expect((90..<120).contains(first.count))
            let load = try await queue.load()
            #expect(load.leasedLanes == first.count && load.readyLanes == 120 - first.count)
            let second = try await queue.claimNow(120)
            let leases = first + second
            #expect(leases.count == 120 && Set(leases.flatMap(\.ids)) == waiting)
            let statuses = try await queue.status(of: Array(waiting))
            #expect(statuses.allSatisfy { $0?.attempts == 1 })
        }
    }

    @Test func `what a lost answer had claimed is queued again while the queue is paused, and was no attempt`()
        async throws
    {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 81)
            let device = maker.device()
            let captures = [maker.submission(of: device), maker.submission(of: device)]
            for capture in captures { try await fixture.upload(capture) }
            // Claimed, and nobody heard of it.
            try await fixture.redis("FCALL", "capture_claim_v1", 1, .string(fixture.keyspace[0].ready), "a", 4, 1)
            let queue = fixture.queue("a")
            #expect(try await queue.state(of: captures[0]) == .processing)
            try await queue.setPaused(since: Timestamp.systemTime())
            #expect(try await queue.claimNow().isEmpty)
            let statuses = try await queue.status(of: captures.map(\.id))
            #expect(statuses.allSatisfy { $0?.state == .queued && $0?.attempts == 0 })
            try await queue.setPaused(since: nil)
            #expect(try await fixture.queue("b").claimOne().ids == captures.map(\.id))
        }
    }

    /// One look at what a consumer holds tells 10,000 tokens at the most.
    @Test func `what a lost answer had claimed beyond what one look tells is claimed after the next look`()
        async throws
    {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 83)
            let (ready, nobody) = (RedisArgument.string(fixture.keyspace[0].ready), maker.device())
            let add = "for _ = 1, 10000 do redis.call('XADD', KEYS[1], '*', 'device', ARGV[1]) end"
            try await fixture.redis("EVAL", .string(add), 1, ready, .string("\(nobody)"))
            let capture = maker.submission(of: maker.device())
            try await fixture.upload(capture)
            try await fixture.redis("XGROUP", "CREATE", ready, "workers", "0")
            let read = "redis.call('XREADGROUP', 'GROUP', 'workers', 'a', 'COUNT', 10001, 'STREAMS', KEYS[1], '>')"
            try await fixture.redis("EVAL", .string(read), 1, ready)
            let queue = fixture.queue("a")
            #expect(try await queue.claimNow(10_000).isEmpty)
            #expect(try await queue.claimOne().ids == [capture.id])
        }
    }

    @Test func `watchers hear what a worker hands back that leaves`() async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 82)
            let changes = RedisStateChanges(client: fixture.client, keyspace: fixture.keyspace, logger: fixture.logger)
            let early = try #require(changes.changes(of: capture.id))
            let running = Task { try await changes.run() }
            for await _ in early {}
            let heard = try #require(changes.changes(of: capture.id))
            try await fixture.upload(capture)
            let leaver = fixture.queue("a")
            _ = try await leaver.claimOne()
            #expect(try await leaver.leave() == 1)
            var states: [CaptureState?] = []
            for await change in heard {
                states.append(change.state)
                if states.count == 3 { break }
            }
            #expect(states == [.queued, .processing, .queued])
            running.cancel()
            try await running.value
        }
    }
}
