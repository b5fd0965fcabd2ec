import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// As gateways in other languages do it, whose calls say what their bytes' digests are.
@Suite("Bytes that changed in storage and are handed off again", .timeLimit(.minutes(2)))
struct ChangedBytesCallTests {
    /// What a worker has made of the capture whose bytes changed.
    enum Standing: CaseIterable, Sendable {
        case dead, putOff
    }

    /// Hands a capture off, changes its photo, and has a worker find it.
    private func change(
        _ submission: CaptureSubmission, _ standing: Standing, _ fixture: QueueFixture,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> RedisArgument {
        let photo = RedisArgument.string(fixture.keyspace.partition(of: submission.device).photo(submission.id))
        let call = EnqueueCall(submission, keyspace: fixture.keyspace)
        let answer = try await fixture.client.send(call.command)
        #expect(answer.array?.first?.string == "accepted", sourceLocation: sourceLocation)
        try await fixture.redis("SET", photo, "xyz")
        let queue = fixture.queue("a")
        let lease = try await queue.claimOne()
        let delay = LaneSettlement.Continuation.delayed(.seconds(60), reason: .bundleCorrupt, fault: "changed")
        _ = try await queue.settle([standing == .dead ? lease.burying(.bundleCorrupt) : lease.settling(0, delay)])
        return photo
    }

    /// Expects that the capture waits for its next try, and is no dead letter any more.
    private func expectWaits(
        _ submission: CaptureSubmission, _ standing: Standing, _ fixture: QueueFixture,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let queue = fixture.queue("a")
        let state = try await queue.state(of: submission)
        #expect(state == (standing == .dead ? .queued : .retrying), sourceLocation: sourceLocation)
        #expect(try await queue.load().deadLetters == 0, sourceLocation: sourceLocation)
        #expect(try await QueueDoctor(queue: queue).examine().findings == [], sourceLocation: sourceLocation)
    }

    @Test(arguments: Standing.allCases)
    func `changed bytes are replaced by those of a call with the same id`(standing: Standing) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 31)
            let submission = maker.submission(of: maker.device())
            let photo = try await change(submission, standing, fixture)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("GET", photo).string == "abc")
            #expect(try await fixture.redis("TTL", photo).int == -1)
            try await expectWaits(submission, standing, fixture)
        }
    }

    @Test(arguments: Standing.allCases, [true, false])
    func `changed bytes are replaced by those that come under another id`(
        standing: Standing, comeWithTheCall: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 32)
            let submission = maker.submission(of: maker.device())
            let photo = try await change(submission, standing, fixture)
            let again = maker.submission(of: submission.device, digest: submission.bundleDigest)
            let keys = fixture.keyspace.partition(of: submission.device)
            var call = EnqueueCall(again, keyspace: fixture.keyspace)
            if !comeWithTheCall {
                call = call.withoutBytes
                try await fixture.redis("SET", .string(keys.photo(again.id)), "abc", "EX", 60)
                try await fixture.redis("SET", .string(keys.depth(again.id)), "de", "EX", 60)
            }
            let reply = try await fixture.client.send(call.command).array?.map(\.string)
            #expect(reply == ["duplicate", submission.id.description])
            #expect(try await fixture.redis("GET", photo).string == "abc")
            #expect(try await fixture.redis("TTL", photo).int == -1)
            #expect(try await fixture.redis("EXISTS", .string(keys.photo(again.id))).int == 0)
            try await expectWaits(submission, standing, fixture)
        }
    }

    /// They are the changed ones, as NX leaves them, and each call would have them tried all over again.
    @Test func `changed bytes stay where the call brings none, and so does the dead letter`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 33)
            let submission = maker.submission(of: maker.device())
            let photo = try await change(submission, .dead, fixture)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace).withoutBytes
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("GET", photo).string == "xyz")
            #expect(try await fixture.queue("a").load().deadLetters == 1)
        }
    }

    @Test func `changed bytes stay while nobody has found that they changed`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 34)
            let submission = maker.submission(of: maker.device())
            let photo = RedisArgument.string(fixture.keyspace.partition(of: submission.device).photo(submission.id))
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            try await fixture.redis("SET", photo, "xyz")
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("GET", photo).string == "xyz")
        }
    }

    /// It may have read the changed ones, and give the capture up for them.
    @Test func `changed bytes stay while a worker has the capture that was put off for them`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 35)
            let submission = maker.submission(of: maker.device())
            let photo = try await change(submission, .putOff, fixture)
            try await fixture.passTime()
            let queue = fixture.queue("a")
            _ = try await queue.promote()
            #expect(try await queue.claimOne().ids == [submission.id])
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("GET", photo).string == "xyz")
            #expect(try await queue.state(of: submission) == .processing)
        }
    }
}
