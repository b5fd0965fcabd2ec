import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("How full the queue is", .timeLimit(.minutes(1)))
struct FullestPartitionTests {
    /// A device finds its own partition full, however much room the others have.
    @Test func `the queue is told to be as full as its fullest partition, and not as all of them together`()
        async throws
    {
        var configuration = RedisQueueConfiguration.ofTests
        (configuration.capturesMax, configuration.capturesPerDeviceMax) = (40, 10)
        try await QueueFixture.with(partitions: 4, configuration: configuration) { fixture in
            try await fixture.queue().applyLimits()
            #expect(try await fixture.queue().load().fill == 0)
            var maker = SubmissionMaker(seed: 73)
            let device = maker.device()
            for _ in 0..<5 {
                let capture = maker.submission(of: device)
                #expect(try await fixture.upload(capture) == .accepted)
            }
            let load = try await fixture.queue().load()
            #expect(load.captures == 5 && load.capturesMax == 40)
            #expect(load.fill == 0.5)
        }
    }
}
