import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The sweep of bundles takes what is not known for nobody's.
@Suite("What the queue knows of a capture", .timeLimit(.minutes(2)))
struct KnownCapturesTests {
    @Test(arguments: [1, 4], ["device", "state"])
    func `what the queue knows of a capture is told although its job cannot be read`(partitions: Int, field: String)
        async throws
    {
        try await QueueFixture.with(partitions: partitions) { fixture in
            let queue = fixture.queue("a")
            let captures = SubmissionMaker.submissions(4, seed: 80)
            try await fixture.upload(captures[0])
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            for capture in captures[1...2] { try await fixture.upload(capture) }
            let keys = fixture.keyspace.partition(of: captures[1].device)
            try await fixture.redis("HSET", .string(keys.job(captures[1].id)), .string(field), "of a later release")
            let ids = captures.map(\.id)
            #expect(try await queue.status(of: ids).map { $0 != nil } == [true, false, true, false])
            #expect(try await queue.knows(ids) == [true, true, true, false])
            #expect(try await queue.knows([]) == [])
        }
    }
}
