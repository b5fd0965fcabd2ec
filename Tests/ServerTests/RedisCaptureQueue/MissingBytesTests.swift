import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("Bytes in Redis that are gone, and come again", .timeLimit(.minutes(2)))
struct MissingBytesTests {
    /// No worker has found yet that they are gone: they were thrown away, and the capture died.
    @Test(arguments: [true, false], [true, false])
    func `those that come under another id are given to the capture that waits`(
        isClaimed: Bool, comeWithTheCall: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 160)
            let submission = maker.submission(of: maker.device())
            let keys = fixture.keyspace.partition(of: submission.device)
            let photo = RedisArgument.string(keys.photo(submission.id))
            let whole = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(whole.command).array?.first?.string == "accepted")
            try await fixture.redis("DEL", photo)
            let queue = fixture.queue("a")
            let lease = try await isClaimed ? queue.claimOne() : nil
            let again = maker.submission(of: submission.device, digest: submission.bundleDigest)
            var call = EnqueueCall(again, keyspace: fixture.keyspace)
            if !comeWithTheCall {
                call = call.withoutBytes
                try await fixture.redis("SET", .string(keys.photo(again.id)), "abc", "EX", 60)
                try await fixture.redis("SET", .string(keys.depth(again.id)), "de", "EX", 60)
            }
            if let lease {
                let reply = try await fixture.client.pipeline([call.command])[0]
                #expect(reply.error?.message.hasPrefix("TRYAGAIN a worker has the capture") == true, "\(reply)")
                #expect(try await queue.settle([lease.burying(.bundleMissing)]) == [.settled])
            }
            let reply = try await fixture.client.send(call.command).array?.map(\.string)
            #expect(reply == ["duplicate", submission.id.description])
            #expect(try await fixture.redis("GET", photo).string == "abc")
            #expect(try await fixture.redis("TTL", photo).int == -1)
            #expect(try await queue.state(of: submission) == .queued)
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    /// As somebody may call who names the digest of another's bundle.
    @Test func `those of other media under its digest are not given to the capture that waits`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 162)
            let submission = maker.submission(of: maker.device())
            let photo = RedisArgument.string(fixture.keyspace.partition(of: submission.device).photo(submission.id))
            let whole = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(whole.command).array?.first?.string == "accepted")
            try await fixture.redis("DEL", photo)
            let again = maker.submission(of: submission.device, digest: submission.bundleDigest)
            let call = EnqueueCall(again, keyspace: fixture.keyspace)
            var other = call
            let zeros = String(repeating: "0", count: 64)
            other.arguments = call.arguments.map { ($0.name, $0.name == "photo_sha256" ? zeros : $0.value) }
            for (one, isGiven) in [(other, 0), (call, 1)] {
                let reply = try await fixture.client.send(one.command).array?.map(\.string)
                #expect(reply == ["duplicate", submission.id.description])
                #expect(try await fixture.redis("EXISTS", photo).int == isGiven)
            }
        }
    }

    /// A gateway stores them, puts the letter back, and enqueues it, which kept them: it may end in between.
    @Test func `those that were stored for a dead letter are kept with it when it is put back`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 161)
            let keys = fixture.keyspace.partition(of: submission.device)
            let media = [keys.photo(submission.id), keys.depth(submission.id)].map { RedisArgument.string($0) }
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            let queue = fixture.queue("a")
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleCorrupt)])
            try await fixture.redis("SET", media[0], "abc", "EX", 60)
            try await fixture.redis("SET", media[1], "de", "EX", 60)
            #expect(try await queue.redrive(submission.id))
            for key in media { #expect(try await fixture.redis("TTL", key).int == -1) }
        }
    }
}
