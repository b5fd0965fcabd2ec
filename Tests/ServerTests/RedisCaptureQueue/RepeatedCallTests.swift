import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// `capture_enqueue_v1` with an id that the queue has.
@Suite("Calls that are made again, and are not the same", .timeLimit(.minutes(2)))
struct RepeatedCallTests {
    /// As somebody may call who has seen id and digest, to have good bytes replaced.
    @Test(arguments: ["photo", "depth", "photo_sha256", "depth_sha256"], [true, false])
    func `a call with the id and the digest of another's bundle replaces no bytes`(
        part: String, isBundleKnown: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 1)
            let keys = fixture.keyspace.partition(of: submission.device)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            if !isBundleKnown { try await fixture.redis("DEL", .string(keys.accepted(submission.bundleDigest))) }
            var other = call
            let value = part.hasSuffix("sha256") ? String(repeating: "0", count: 64) : "other bytes"
            other.arguments = call.arguments.map { ($0.name, $0.name == part ? value : $0.value) }
            let reply = try await fixture.client.pipeline([other.command])[0]
            #expect(reply.error?.message == "CONFLICT the capture id belongs to another bundle", "\(reply)")
            #expect(try await fixture.redis("GET", .string(keys.photo(submission.id))).string == "abc")
            #expect(try await fixture.redis("GET", .string(keys.depth(submission.id))).string == "de")
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
        }
    }

    @Test func `a capture whose bytes are elsewhere gets none here, and its call is accepted all the same`()
        async throws
    {
        try await QueueFixture.with { fixture async throws in
            let submission = SubmissionMaker.submission(seed: 2)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            var inFiles = call.withoutBytes
            inFiles.arguments.append(("bundle_store", "filesystem"))
            #expect(try await fixture.client.send(inFiles.command).array?.first?.string == "accepted")
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            let photo = fixture.keyspace.partition(of: submission.device).photo(submission.id)
            #expect(try await fixture.redis("EXISTS", .string(photo)).int == 0)
        }
    }
}
