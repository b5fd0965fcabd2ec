import CaptureModel
import CaptureQueue
import RedisCaptureQueue
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
            #expect(try await queue.status(of: captures.map(\.id)).allSatisfy { $0?.state == .queued })
            #expect(try await queue.claimOne(captures: count).ids == lease.ids)
        }
    }
}
