import CaptureModel
import CaptureQueue
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// A hand-off cannot reach the files of our gateways: its bytes are kept in Redis, and the capture is worked from there.
@Suite("Bytes in files that are gone or have changed, and are handed off again", .timeLimit(.minutes(2)))
struct BytesFromFilesTests {
    /// How a bundle comes again.
    struct Again: CustomTestStringConvertible, Sendable {
        let isOwnID: Bool
        let comeWithTheCall: Bool

        static let all = [true, false].flatMap { isOwnID in
            [true, false].map { Again(isOwnID: isOwnID, comeWithTheCall: $0) }
        }

        var testDescription: String {
            "\(isOwnID ? "own" : "another") id, bytes \(comeWithTheCall ? "with the call" : "beforehand")"
        }
    }

    /// Enqueues a capture as a gateway does that has stored its bytes in files.
    private func enqueue(
        _ submission: CaptureSubmission, _ fixture: QueueFixture, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var call = EnqueueCall(submission, keyspace: fixture.keyspace).withoutBytes
        call.arguments.append(("bundle_store", "filesystem"))
        let answer = try await fixture.client.send(call.command).array?.first?.string
        #expect(answer == "accepted", sourceLocation: sourceLocation)
    }

    /// The hand-off of a bundle that has come before, whose bytes are stored if they do not come with it.
    private func handOff(
        _ submission: CaptureSubmission, _ again: Again, _ maker: inout SubmissionMaker, _ fixture: QueueFixture
    ) async throws -> EnqueueCall {
        let other = maker.submission(of: submission.device, digest: submission.bundleDigest)
        let handed = again.isOwnID ? submission : other
        let call = EnqueueCall(handed, keyspace: fixture.keyspace)
        guard !again.comeWithTheCall else { return call }
        let keys = fixture.keyspace.partition(of: submission.device)
        try await fixture.redis("SET", .string(keys.photo(handed.id)), "abc", "EX", 60)
        try await fixture.redis("SET", .string(keys.depth(handed.id)), "de", "EX", 60)
        return call.withoutBytes
    }

    /// The app has its 202 then, and keeps no copy.
    @Test(arguments: [Reason.bundleMissing, .bundleCorrupt], Again.all)
    func `those of a dead letter are kept in Redis, and it is put back and worked from there`(
        reason: Reason, again: Again
    ) async throws {
        try await QueueFixture.with { fixture async throws in
            var maker = SubmissionMaker(seed: 170)
            let submission = maker.submission(of: maker.device())
            let queue = fixture.queue("a")
            try await enqueue(submission, fixture)
            _ = try await queue.settle([try await queue.claimOne().burying(reason)])
            let call = try await handOff(submission, again, &maker, fixture)
            let answer = [again.isOwnID ? "accepted" : "duplicate", submission.id.description]
            for _ in 0..<2 {
                #expect(try await fixture.client.send(call.command).array?.map(\.string) == answer)
                #expect(try await queue.state(of: submission) == .queued)
                let load = try await queue.load()
                #expect(load.captures == 1 && load.bytes == 5 && load.deadLetters == 0)
            }
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])

            let lease = try await queue.claimOne()
            let stores = BundleStores(primary: MemoryBundleStore(named: .filesystem), others: [fixture.bundles])
            let fetched = try await stores.fetch(lease.jobs.compactMap(\.submission))
            let brought = CaptureMedia(photo: ByteBuffer(string: "abc"), depth: ByteBuffer(string: "de"))
            #expect(fetched.map(\.media) == [brought])
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            let media = try await fixture.keys().filter { $0.contains(":photo:") || $0.contains(":depth:") }
            #expect(media.isEmpty)
        }
    }

    /// It looks in the files yet, and may give the capture up for what it finds there.
    @Test(arguments: Again.all)
    func `those of a capture that a worker has are taken once it is done`(again: Again) async throws {
        try await QueueFixture.with { fixture async throws in
            var maker = SubmissionMaker(seed: 171)
            let submission = maker.submission(of: maker.device())
            let queue = fixture.queue("a")
            try await enqueue(submission, fixture)
            let delay = LaneSettlement.Continuation.delayed(.seconds(60), reason: .bundleCorrupt, fault: "changed")
            _ = try await queue.settle([try await queue.claimOne().settling(0, delay)])
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)
            let lease = try await queue.claimOne()
            let call = try await handOff(submission, again, &maker, fixture)
            for _ in 0..<2 {
                let reply = try await fixture.client.pipeline([call.command])[0]
                #expect(reply.error?.message.hasPrefix("TRYAGAIN a worker has the capture") == true, "\(reply)")
            }
            #expect(lease.jobs.compactMap(\.submission?.bundleStore) == [.filesystem])
            #expect(try await queue.settle([lease.settling(0, delay)]) == [.settled])
            let reply = try await fixture.client.send(call.command).array?.map(\.string)
            #expect(reply == [again.isOwnID ? "accepted" : "duplicate", submission.id.description])
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)
            #expect(try await queue.claimOne().jobs.compactMap(\.submission?.bundleStore) == [.redis])
            #expect(try await fixture.bundles.fetch([submission]).first?.media != nil)
        }
    }

    @Test(arguments: [true, false])
    func `a call without them is told so, and the dead letter stays one`(isOwnID: Bool) async throws {
        try await QueueFixture.with { fixture async throws in
            var maker = SubmissionMaker(seed: 172)
            let submission = maker.submission(of: maker.device())
            let queue = fixture.queue("a")
            try await enqueue(submission, fixture)
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing)])
            let other = maker.submission(of: submission.device, digest: submission.bundleDigest)
            let call = EnqueueCall(isOwnID ? submission : other, keyspace: fixture.keyspace).withoutBytes
            let reply = try await fixture.client.pipeline([call.command])[0]
            #expect(reply.error?.message == "MISSING_BUNDLE photo", "\(reply)")
            #expect(try await queue.load().deadLetters == 1)
        }
    }

    /// It has brought them to the files, or will.
    @Test func `a gateway with a ledger moves none`() async throws {
        try await QueueFixture.with { fixture async throws in
            let submission = SubmissionMaker.submission(seed: 173)
            let queue = fixture.queue("a")
            try await enqueue(submission, fixture)
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing)])
            var call = EnqueueCall(submission, keyspace: fixture.keyspace)
            call.arguments.append(("ledger", "1"))
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await queue.load().deadLetters == 1)
        }
    }
}
