import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("Lanes whose delay is over", .timeLimit(.minutes(1)))
struct PromotionTests {
    /// After an outage all lanes may be due at once, and Redis serves nobody else during a call.
    @Test func `one call makes no more lanes ready than it may`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 110)
            for _ in 0..<5 { try await fixture.upload(maker.submission(of: maker.device())) }
            let queue = fixture.queue()
            let delayed = try await queue.claimNow().map { $0.settling(0, .delayed(.seconds(60), fault: "away")) }
            #expect(try await queue.settle(delayed).allSatisfy { $0 == .settled })
            try await fixture.passTime()
            let ready = RedisArgument.string(fixture.keyspace[0].ready)
            for count in [2, 2, 1, 0] {
                #expect(try await fixture.redis("FCALL", "capture_promote_v1", 1, ready, 2).int == count)
                #expect(try await queue.claimNow().count == count)
            }
        }
    }
}
