import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// What `capture_enqueue_v1` believes of a gateway's time.
@Suite(.timeLimit(.minutes(2)))
struct ReceivedAtTests {
    /// Redis's time in milliseconds.
    private func clock(of fixture: QueueFixture) async throws -> Int64 {
        let time = try #require(try await fixture.redis("TIME").array).compactMap(\.string).compactMap { Int64($0) }
        try #require(time.count == 2)
        return time[0] * 1000 + time[1] / 1000
    }

    @Test(
        arguments: [
            // What a gateway says of its time and what is taken, each in milliseconds from now.
            (-1_700_000_000_000, -600_000), (-3_600_000, -600_000), (-300_000, -300_000), (-1, -1), (30_000, 0),
            (250_000_000_000_000, 0),
        ] as [(Int64, Int64)])
    func `the time that a gateway names is held between ten minutes ago and now`(
        named: Int64, taken: Int64
    ) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 8)
            var call = EnqueueCall(submission, keyspace: fixture.keyspace)
            let before = try await clock(of: fixture)
            call.arguments.append(("received_at", "\(before + named)"))
            let reply = try await fixture.client.send(call.command)
            let after = try await clock(of: fixture)
            #expect(reply.array?.first?.string == "accepted")
            let job = fixture.keyspace.partition(of: submission.device).job(submission.id)
            let kept = try #require(
                try await fixture.redis("HGET", .string(job), "received_at").string.flatMap { Int64($0) })
            #expect((before + taken...after + taken).contains(kept))
            guard case .valid(let claimed) = try await fixture.queue().claimOne().jobs.first else {
                Issue.record("not a valid job")
                return
            }
            #expect(claimed.receivedAt.millisecondsSince1970 == kept)
        }
    }
}
