import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The bytes that a call of `capture_enqueue_v1` is about.
@Suite("Bytes that are handed off", .timeLimit(.minutes(2)))
struct EnqueueBytesTests {
    /// As when Redis has lost them between the upload's row in the ledger and its call, and another gateway has put the
    /// capture back meanwhile.
    @Test(arguments: [false, true])
    func `a capture that is there is not accepted once more without its bytes`(comeWithTheCall: Bool) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 11)
            let keys = fixture.keyspace.partition(of: submission.device)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            try await fixture.redis("UNLINK", .string(keys.photo(submission.id)))
            let again = comeWithTheCall ? call : call.withoutBytes
            if !comeWithTheCall {
                let reply = try await fixture.client.pipeline([again.command])[0]
                #expect(reply.error?.message == "MISSING_BUNDLE photo", "\(reply)")
                try await fixture.redis("SET", .string(keys.photo(submission.id)), "abc", "EX", 60)
            }
            #expect(try await fixture.client.send(again.command).array?.first?.string == "accepted")
            #expect(try await fixture.redis("TTL", .string(keys.photo(submission.id))).int == -1)
            #expect(try await fixture.redis("GET", .string(keys.photo(submission.id))).string == "abc")
            #expect(try await fixture.queue().load().captures == 1)
        }
    }

    @Test func `a dead letter stays one while the bytes are not there, or are others by their size`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 12)
            let keys = fixture.keyspace.partition(of: submission.device)
            #expect(try await fixture.upload(submission) == .accepted)
            let queue = fixture.queue("a")
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing, fault: "gone")])
            try await fixture.redis("UNLINK", .string(keys.photo(submission.id)))
            await #expect(throws: QueueError(.busy, "")) { try await queue.enqueue(submission) }
            try await fixture.redis("SET", .string(keys.photo(submission.id)), "12", "EX", 60)
            await #expect(throws: QueueError(.refused, "")) { try await queue.enqueue(submission) }
            #expect(try await queue.load().deadLetters == 1)
            try await fixture.redis("SET", .string(keys.photo(submission.id)), "123", "EX", 60)
            #expect(try await queue.enqueue(submission) == .accepted)
            #expect(try await fixture.redis("TTL", .string(keys.photo(submission.id))).int == -1)
            let load = try await queue.load()
            #expect(load.captures == 1 && load.bytes == 5 && load.deadLetters == 0)
        }
    }

    /// A gateway that knows no ids of uploads before gives each a new one.
    @Test(arguments: [true, false])
    func `a dead letter gets its bytes back that come under another id`(comeWithTheCall: Bool) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 13)
            let submission = maker.submission(of: maker.device())
            let again = maker.submission(of: submission.device, digest: submission.bundleDigest)
            let keys = fixture.keyspace.partition(of: submission.device)
            let first = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(first.command).array?.first?.string == "accepted")
            let queue = fixture.queue("a")
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing, fault: "gone")])
            try await fixture.redis("UNLINK", .string(keys.photo(submission.id)), .string(keys.depth(submission.id)))

            var second = EnqueueCall(again, keyspace: fixture.keyspace)
            if !comeWithTheCall {
                second = second.withoutBytes
                try await fixture.redis("SET", .string(keys.photo(again.id)), "abc", "EX", 60)
                try await fixture.redis("SET", .string(keys.depth(again.id)), "de", "EX", 60)
            }
            let reply = try await fixture.client.send(second.command).array?.map(\.string)
            #expect(reply == ["duplicate", submission.id.description])
            #expect(try await fixture.redis("GET", .string(keys.photo(submission.id))).string == "abc")
            #expect(try await fixture.redis("GET", .string(keys.depth(submission.id))).string == "de")
            #expect(try await fixture.redis("TTL", .string(keys.photo(submission.id))).int == -1)
            #expect(try await fixture.redis("EXISTS", .string(keys.photo(again.id))).int == 0)
            #expect(try await queue.claimOne().ids == [submission.id])
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    /// They are the other's that lives, and it keeps them.
    @Test func `a dead letter gets no bytes of another capture`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 14)
            let (lost, other) = (maker.submission(of: maker.device()), maker.submission(of: maker.device()))
            let call = EnqueueCall(lost, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            let queue = fixture.queue("a")
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing, fault: "gone")])
            let living = EnqueueCall(other, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(living.command).array?.first?.string == "accepted")

            let mixed = maker.submission(of: other.device, id: other.id, digest: lost.bundleDigest)
            let attempt = EnqueueCall(mixed, keyspace: fixture.keyspace).withoutBytes
            let reply = try await fixture.client.send(attempt.command)
            #expect(reply.array?.map(\.string) == ["duplicate", lost.id.description])
            let keys = fixture.keyspace.partition(of: other.device)
            #expect(try await fixture.redis("GET", .string(keys.photo(other.id))).string == "abc")
            #expect(try await queue.load().deadLetters == 1)
        }
    }

    /// It removes them behind its row: killed before that, it leaves both, and the capture is enqueued with its bytes.
    @Test(arguments: ["full", "duplicate"])
    func `what a gateway with a ledger has stored for a capture that is not taken is its own to remove`(answer: String)
        async throws
    {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 17)
            let device = maker.device()
            let (queue, mark) = (fixture.queue(), RestorationMark(text: "00000000-0000-4000-8000-000000000001"))
            _ = try await queue.beginRestoration(of: 0, mark: mark)
            #expect(try await queue.finishRestoration(of: 0, mark: mark) == .restored(mark))
            let first = maker.submission(of: device)
            #expect(try await fixture.upload(first) == .accepted)
            let digest = answer == "duplicate" ? first.bundleDigest : nil
            for hasLedger in [true, false] {
                let upload = maker.submission(of: device, digest: digest)
                let keys = fixture.keyspace.partition(of: device)
                let media = [keys.photo(upload.id), keys.depth(upload.id)]
                for (key, value) in zip(media, ["abc", "de"]) {
                    try await fixture.redis("SET", .string(key), .string(value), "EX", 60)
                }
                var call = EnqueueCall(upload, keyspace: fixture.keyspace).withoutBytes
                call.arguments.append(("captures_max", "1"))
                if hasLedger { call.arguments.append(("ledger", "1")) }
                #expect(try await fixture.client.send(call.command).array?.first?.string == answer)
                for key in media {
                    let seconds = try #require(try await fixture.redis("TTL", .string(key)).int)
                    // -2: gone.
                    #expect(hasLedger ? seconds > 0 : seconds == -2)
                }
            }
        }
    }

    @Test func `a call that is made once more behind its settlement leaves nothing for the doctor`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 15)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            let queue = fixture.queue("a")
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            let keys = fixture.keyspace.partition(of: submission.device)
            try await fixture.redis("SET", .string(keys.photo(submission.id)), "abc", "EX", 60)
            try await fixture.redis("SET", .string(keys.depth(submission.id)), "de", "EX", 60)
            #expect(try await fixture.client.send(call.withoutBytes.command).array?.first?.string == "accepted")
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    @Test func `bytes that are not there are missed, and the caller may try again`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 5)
            let fault = await #expect(throws: QueueError.self) { try await fixture.queue().enqueue(submission) }
            #expect(fault?.code == .busy)
            #expect(fault?.message.contains("MISSING_BUNDLE photo") == true)
            let outcome = try await fixture.upload(submission)
            #expect(outcome == .accepted)
        }
    }

    @Test func `bytes of another size than declared are refused`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 6)
            let keys = fixture.keyspace.partition(of: submission.device)
            try await fixture.redis("SET", .string(keys.photo(submission.id)), "12")
            try await fixture.redis("SET", .string(keys.depth(submission.id)), "12")
            let fault = await #expect(throws: QueueError.self) { try await fixture.queue().enqueue(submission) }
            #expect(fault?.code == .refused)
            #expect(fault?.message.contains("INVALID photo_bytes: 2 bytes are stored") == true)
        }
    }

    @Test func `bytes that are elsewhere are not looked for`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 7)
            var call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace).withoutBytes
            call.arguments.append(("bundle_store", "filesystem"))
            let reply = try await fixture.client.send(call.command)
            #expect(reply.array?.first?.string == "accepted")
        }
    }

    @Test(arguments: ["photo", "depth"])
    func `photo and depth map have to be there, and each of its size`(part: String) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 15)
            let keys = fixture.keyspace.partition(of: submission.device)
            let stored = [(keys.photo(submission.id), "abc"), (keys.depth(submission.id), "de")]
            let (own, other) = part == "photo" ? (stored[0], stored[1]) : (stored[1], stored[0])
            let call = EnqueueCall(submission, keyspace: fixture.keyspace).withoutBytes
            try await fixture.redis("SET", .string(other.0), .string(other.1), "EX", 60)
            let missing = try await fixture.client.pipeline([call.command])[0]
            #expect(missing.error?.message == "MISSING_BUNDLE \(part)", "\(missing)")
            for bytes in ["", "1234567"] {
                try await fixture.redis("SET", .string(own.0), .string(bytes), "EX", 60)
                let wrong = try await fixture.client.pipeline([call.command])[0]
                let message = "INVALID \(part)_bytes: \(bytes.utf8.count) bytes are stored"
                #expect(wrong.error?.message.hasPrefix(message) == true, "\(wrong)")
            }
            try await fixture.redis("SET", .string(own.0), .string(own.1), "EX", 60)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
        }
    }

    /// Its bytes went with its job: what is stored again is nobody's, and how long the bundle is known is settled.
    @Test func `a call for a settled capture asks for no bytes, and removes those that are stored again`() async throws
    {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 16)
            let keys = fixture.keyspace.partition(of: submission.device)
            func lifetime(_ key: String) async throws -> Int {
                try await fixture.redis("PTTL", .string(key)).int ?? -3
            }
            try await fixture.upload(submission)
            let queue = fixture.queue("a")
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            let call = EnqueueCall(submission, keyspace: fixture.keyspace).withoutBytes
            let reply = try await fixture.client.pipeline([call.command])[0]
            #expect(reply.array?.first?.string == "accepted", "\(reply)")
            #expect(try await lifetime(keys.accepted(submission.bundleDigest)) > 0)
            #expect(try await fixture.upload(submission) == .accepted)
            let media = [keys.photo(submission.id), keys.depth(submission.id)].map { RedisArgument.string($0) }
            #expect(try await fixture.redis("EXISTS", media[0], media[1]).int == 0)
        }
    }
}
