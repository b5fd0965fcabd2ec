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
        /// It was a dead letter, and an operator has put it back without its bytes.
        case putBack

        /// Its state when it has its bytes.
        var state: CaptureState { self == .putOff ? .retrying : .queued }
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
        _ = try await queue.settle([standing == .putOff ? lease.settling(0, delay) : lease.burying(.bundleCorrupt)])
        if standing == .putBack {
            #expect(try await queue.redrive(submission.id), sourceLocation: sourceLocation)
        }
        return photo
    }

    /// Expects that the capture is to be worked, and is no dead letter any more.
    private func expectOpen(
        _ submission: CaptureSubmission, _ standing: Standing, _ fixture: QueueFixture,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let queue = fixture.queue("a")
        #expect(try await queue.state(of: submission) == standing.state, sourceLocation: sourceLocation)
        #expect(try await queue.load().deadLetters == 0, sourceLocation: sourceLocation)
        #expect(try await QueueDoctor(queue: queue).examine().findings == [], sourceLocation: sourceLocation)
    }

    @Test(arguments: Standing.allCases)
    func `changed bytes are replaced by those of a call with the same id`(standing: Standing) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 31)
            let photo = try await change(submission, standing, fixture)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("GET", photo).string == "abc")
            #expect(try await fixture.redis("TTL", photo).int == -1)
            try await expectOpen(submission, standing, fixture)
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
            try await expectOpen(submission, standing, fixture)
        }
    }

    /// A worker that has the capture may have read the changed bytes already, in its last try.
    @Test(arguments: [(true, true), (false, true), (false, false)])
    func `changed bytes that are replaced while a worker has them are accepted once it is done`(
        isOwnID: Bool, comeWithTheCall: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 35)
            let submission = maker.submission(of: maker.device())
            let photo = try await change(submission, .putOff, fixture)
            let queue = fixture.queue("a")
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)
            let lease = try await queue.claimOne()
            let again = maker.submission(of: submission.device, digest: submission.bundleDigest)
            var call = EnqueueCall(isOwnID ? submission : again, keyspace: fixture.keyspace)
            if !comeWithTheCall {
                let keys = fixture.keyspace.partition(of: submission.device)
                call = call.withoutBytes
                try await fixture.redis("SET", .string(keys.photo(again.id)), "abc", "EX", 60)
                try await fixture.redis("SET", .string(keys.depth(again.id)), "de", "EX", 60)
            }
            for _ in 0..<2 {
                let reply = try await fixture.client.pipeline([call.command])[0]
                #expect(reply.error?.message.hasPrefix("TRYAGAIN a worker has the capture") == true, "\(reply)")
                #expect(try await fixture.redis("GET", photo).string == "abc")
            }
            #expect(try await queue.settle([lease.burying(.bundleCorrupt)]) == [.settled])
            let reply = try await fixture.client.send(call.command).array?.map(\.string)
            #expect(reply == [isOwnID ? "accepted" : "duplicate", submission.id.description])
            try await expectOpen(submission, .dead, fixture)
        }
    }

    /// A worker gives a capture up that has no bytes, without another look.
    @Test(arguments: [true, false])
    func `missing bytes that come while a worker has their capture are accepted once it is done`(
        comeWithTheCall: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 36)
            let keys = fixture.keyspace.partition(of: submission.device)
            let photo = RedisArgument.string(keys.photo(submission.id))
            let whole = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(whole.command).array?.first?.string == "accepted")
            try await fixture.redis("DEL", photo)
            let queue = fixture.queue("a")
            var lease = try await queue.claimOne()
            if !comeWithTheCall { try await fixture.redis("SET", photo, "abc", "EX", 60) }
            let call = comeWithTheCall ? whole : whole.withoutBytes
            for _ in 0..<2 {
                let reply = try await fixture.client.pipeline([call.command])[0]
                #expect(reply.error?.message.hasPrefix("TRYAGAIN a worker has the capture") == true, "\(reply)")
            }
            let fault = await #expect(throws: QueueError.self) { try await queue.enqueue(submission) }
            #expect(fault?.code == .busy, "no server is away")
            #expect(try await queue.settle([lease.burying(.bundleMissing)]) == [.settled])
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("TTL", photo).int == -1)
            try await expectOpen(submission, .dead, fixture)
            // Whoever claims it now finds them.
            lease = try await queue.claimOne()
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await queue.settle([lease.settling()]) == [.settled])
        }
    }

    /// They are the changed ones, as NX leaves them, and each call would have them tried all over again.
    @Test func `changed bytes stay where the call brings none, and so does the dead letter`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 33)
            let photo = try await change(submission, .dead, fixture)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace).withoutBytes
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("GET", photo).string == "xyz")
            #expect(try await fixture.queue("a").load().deadLetters == 1)
        }
    }

    /// The function compares no bytes: a worker finds that they changed.
    @Test(arguments: [true, false])
    func `changed bytes stay while nobody has found that they changed`(isClaimed: Bool) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 34)
            let photo = RedisArgument.string(fixture.keyspace.partition(of: submission.device).photo(submission.id))
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            try await fixture.redis("SET", photo, "xyz")
            if isClaimed { _ = try await fixture.queue("a").claimOne() }
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("GET", photo).string == "xyz")
        }
    }
}
