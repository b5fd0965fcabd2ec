import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// What is asked of every partition at once is more than a connection takes in one go.
@Suite("A queue of many partitions", .timeLimit(.minutes(2)))
struct ManyPartitionsTests {
    @Test func `tells where as many captures stand as may be asked about at once, in the order asked`() async throws {
        try await QueueFixture.with(partitions: 64) { fixture in
            var maker = SubmissionMaker(seed: 50)
            let known = (0..<2).map { _ in maker.submission(of: maker.device()) }
            for capture in known { try await fixture.upload(capture) }
            let queue = fixture.queue()
            let lease = try #require(
                try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            let strangers = (0..<498).map { _ in maker.submission(of: maker.device()).id }
            let found = try await queue.status(of: [known[0].id] + strangers + [known[1].id])
            #expect(found.count == 500)
            #expect(found.first??.id == known[0].id && found.last??.id == known[1].id)
            #expect(Set(found.compactMap(\.?.state)) == [.queued, .verified])
            let presence = try await queue.presence(of: known.map { (capture: $0.id, device: $0.device) })
            #expect(presence == [.known, .known])
        }
    }

    /// As gateways in other languages could do before functions refused it: it ends, and holds up nobody.
    @Test func `settles a lane where it was claimed, also in a partition that is not its device's`() async throws {
        try await QueueFixture.with(partitions: 4) { fixture in
            let one = try #require(Keyspace(queue: fixture.keyspace.queue, partitions: 1))
            var maker = SubmissionMaker(seed: 52)
            var submission = maker.submission(of: maker.device())
            while fixture.keyspace.partition(of: submission.device).number == 0 {
                submission = maker.submission(of: maker.device())
            }
            _ = try await fixture.client.send(EnqueueCall(submission, keyspace: one).command)
            let queue = fixture.queue()
            let lease = try await queue.claimOne()
            #expect(lease.token.partition == 0 && lease.ids == [submission.id])
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            #expect(try await queue.load().captures == 0)
        }
    }

    @Test func `tells what became of an hour and a day`() async throws {
        try await QueueFixture.with(partitions: 512) { fixture in
            var maker = SubmissionMaker(seed: 51)
            for _ in 0..<3 { try await fixture.upload(maker.submission(of: maker.device())) }
            let overview = try await fixture.queue().overview()
            #expect(overview.load.captures == 3 && overview.lastHour.accepted == 3 && overview.lastDay.accepted == 3)
        }
    }
}
