import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A lane that is handed back", .timeLimit(.minutes(2)))
struct HandedBackLaneTests {
    /// The functions read the ids of a lane one first, then some at a time.
    @Test(arguments: [1, 2, 32, 33, 34, 66])
    func `has all its captures queued again, however many were claimed`(count: Int) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 105)
            let (device, queue) = (maker.device(), fixture.queue())
            var captures: [CaptureSubmission] = []
            for _ in 0...count {
                captures.append(maker.submission(of: device, bundleStore: .filesystem))
                #expect(try await queue.enqueue(captures[captures.count - 1]) == .accepted)
            }
            let lease = try await queue.claimOne(captures: count)
            #expect(lease.ids == captures.dropLast().map(\.id))
            #expect(try await queue.settle([lease.settling(0, .handedBack)]) == [.settled])
            let status = try await queue.status(of: captures.map(\.id))
            #expect(status.allSatisfy { $0?.state == .queued && $0?.attempts == 0 })
            #expect(try await queue.claimOne(captures: count).ids == lease.ids)
        }
    }

    /// Those that a worker which did not come back has left it.
    @Test func `a lane that is handed back leaves a capture that was not claimed its attempts`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 106)
            let device = maker.device()
            let (first, second) = (maker.submission(of: device), maker.submission(of: device))
            for capture in [first, second] { try await fixture.upload(capture) }
            _ = try await fixture.queue("a").claimOne(captures: 2)
            try await fixture.passTime()
            let heir = fixture.queue("b")
            let lease = try #require(try await heir.takeOver())
            #expect(lease.ids == [first.id])
            #expect(try await heir.settle([lease.settling(0, .handedBack)]) == [.settled])
            let job = RedisArgument.string(fixture.keyspace.partition(of: device).job(second.id))
            #expect(try await fixture.redis("HGET", job, "attempts").string == "1")
        }
    }
}
