import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// How much `capture_enqueue_v1` takes, and for how long it knows what it took.
@Suite("The limits of the hand-off", .timeLimit(.minutes(2)))
struct EnqueueLimitsTests {
    /// Workers fetch no larger one: it could only become a dead letter.
    @Test(
        arguments: [
            (4, 2, .tooLarge(.photo, bytesMax: 3)), (3, 3, .tooLarge(.depth, bytesMax: 2)),
        ] as [(Int, Int, EnqueueOutcome)])
    func `media larger than the settings allow are refused, and nothing of them is left`(
        photo: Int, depth: Int, refusal: EnqueueOutcome
    ) async throws {
        var configuration = RedisQueueConfiguration.ofTests
        (configuration.photoBytesMax, configuration.depthBytesMax) = (3, 2)
        try await QueueFixture.with(configuration: configuration) { fixture in
            try await fixture.queue().applyLimits()
            let before = try await fixture.keys()
            var maker = SubmissionMaker(seed: 15)
            let large = maker.submission(of: maker.device(), photoBytes: photo, depthBytes: depth)
            #expect(try await fixture.upload(large) == refusal)
            #expect(try await fixture.keys() == before)
            let fitting = maker.submission(of: maker.device())
            #expect(try await fixture.upload(fitting) == .accepted)
        }
    }

    private static let limits: [(String, String)] = [("captures_max", "1"), ("bytes_max", "9")]

    @Test(arguments: limits)
    func `a queue that is full tells its load and keeps nothing`(limit: String, value: String) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 8)
            let first = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(first.command).array?.first?.string == "accepted")
            let before = try await fixture.keys()
            var call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            call.arguments.append((limit, value))
            let reply = try #require(try await fixture.client.send(call.command).array)
            #expect(reply.first?.string == "full" && reply.dropFirst().map(\.int) == [1, 5])
            #expect(try await fixture.keys() == before)
        }
    }

    @Test(arguments: [nil, "172800000"] as [String?])
    func `for how long a bundle is known says the call, or else the partition`(said: String?) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 14)
            let keys = fixture.keyspace.partition(of: submission.device)
            try await fixture.redis("HSET", .string(keys.limits), "accepted_ttl_ms", 259_200_000)
            var call = EnqueueCall(submission, keyspace: fixture.keyspace)
            if let said { call.arguments.append(("accepted_ttl_ms", said)) }
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            let written = try await fixture.redis("HGET", .string(keys.job(submission.id)), "bundle").string ?? ""
            #expect(written.hasSuffix(" 3 2 \(said ?? "259200000") redis"), "\(written)")
        }
    }

    /// Told that it is another bundle's, a gateway would take a new id, under which a genuine capture is a replay.
    @Test func `a settled capture's bundle is known as long as its id is`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 16)
            var call = EnqueueCall(submission, keyspace: fixture.keyspace)
            call.arguments.append(("accepted_ttl_ms", "1"))
            let accepted = ["accepted", submission.id.description]
            #expect(try await fixture.client.send(call.command).array?.compactMap(\.string) == accepted)
            let (queue, keys) = (fixture.queue(), fixture.keyspace.partition(of: submission.device))
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            let lifetime = try await fixture.redis("PTTL", .string(keys.accepted(submission.bundleDigest))).int ?? 0
            #expect(lifetime > fixture.configuration.statusRetention.whole(.milliseconds(1)) / 2)
            #expect(try await fixture.client.send(call.command).array?.compactMap(\.string) == accepted)
        }
    }
}
