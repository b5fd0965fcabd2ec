import CaptureModel
import CaptureQueue
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// `capture_enqueue_v1` as gateways in other languages call it.
@Suite(.timeLimit(.minutes(2)))
struct EnqueueContractTests {
    /// One changed argument of a call that is right otherwise; `nil` takes it away.
    struct Wrong: CustomTestStringConvertible, Sendable {
        let name: String
        let value: String?
        let error: String

        init(_ name: String, _ value: String?, _ error: String) {
            self.name = name
            self.value = value
            self.error = error
        }

        var testDescription: String { "\(name)=\(value.map { String($0.prefix(20)) } ?? "nil")" }
    }

    private static let wrong: [Wrong] = [
        Wrong("device", "0F8FAD5B-D9CB-469F-A165-70867728950E", "INVALID device: not a UUID"),
        Wrong("device", nil, "INVALID arguments: device is missing"),
        Wrong("capture", "1", "INVALID capture: not a UUID"),
        Wrong("capture", "0f8fad5bd9cb469fa165708677289-0----5", "INVALID capture: not a UUID"),
        Wrong("capture", "0f8fad5bd-9cb-469f-a165-70867728950e", "INVALID capture: not a UUID"),
        Wrong("bundle_digest", "ab", "INVALID bundle_digest: not 64 hexadecimal digits"),
        Wrong("bundle_digest", String(repeating: "G", count: 64), "INVALID bundle_digest: not 64 hexadecimal digits"),
        Wrong("photo_sha256", nil, "INVALID arguments: photo_sha256 is missing"),
        Wrong("binding", nil, "INVALID arguments: binding is missing"),
        Wrong("assertion", nil, "INVALID arguments: assertion is missing"),
        Wrong("metadata", nil, "INVALID arguments: metadata is missing"),
        Wrong("binding", "concat", "INVALID binding: not concat-v1 or framed-v2"),
        Wrong("binding", "concat-v1\n", "INVALID binding: not concat-v1 or framed-v2"),
        Wrong("binding", "framed-v3", "INVALID binding: not concat-v1 or framed-v2"),
        Wrong("assertion", "", "INVALID assertion: not 1 to 16384 bytes"),
        Wrong("assertion", String(repeating: "a", count: 16_385), "INVALID assertion: not 1 to 16384 bytes"),
        Wrong("metadata", String(repeating: "a", count: 65_537), "INVALID metadata: not 1 to 65536 bytes"),
        Wrong("photo_bytes", "-1", "INVALID photo_bytes: not a whole number"),
        Wrong("photo_bytes", "1e3", "INVALID photo_bytes: not a whole number"),
        Wrong("photo_bytes", "0", "INVALID photo_bytes: not a whole number from 1"),
        Wrong("depth_bytes", "0", "INVALID depth_bytes: not a whole number from 1"),
        Wrong("photo_bytes", "4", "INVALID arguments: photo_bytes is not the size of photo"),
        Wrong("photo", "", "INVALID photo: not 1 to 268435456 bytes"),
        Wrong("depth", "", "INVALID depth: not 1 to 268435456 bytes"),
        Wrong("depth", nil, "INVALID arguments: photo and depth come together or not at all"),
        Wrong("received_at", "0", "INVALID received_at: not a whole number from 1"),
        Wrong("bundle_store", "../etc", "INVALID bundle_store: not redis or filesystem"),
        Wrong("bundle_store", "s3", "INVALID bundle_store: not redis or filesystem"),
        Wrong("bundle_store", "filesystem", "INVALID bundle_store: takes no bytes here"),
        Wrong("captures_max", "0", "INVALID captures_max: not a whole number from 1"),
        Wrong("redriven", "1", "INVALID redriven: not of a new capture"),
        Wrong("beside", "0f8fad5b-d9cb-469f-a165-70867728950e", "INVALID beside: not of a new capture"),
        Wrong("color", "red", "INVALID color: unknown"),
        Wrong("co\r\nlor", "red", "INVALID ?: unknown"),
    ]

    /// A client sends it: no capture is lost over that.
    @Test(arguments: [
        "", "00-xyz", "01-\(trace)-\(span)-01-extra", "ff-\(trace)-\(span)-01",
        "00-\(String(repeating: "0", count: 32))-\(span)-01", "00-\(trace)-\(span)-01",
    ])
    func `a traceparent that is none is left out`(text: String) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 12)
            var call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            call.arguments.append(("traceparent", text))
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            let kept = try await fixture.queue().claimOne().jobs.map(\.submission?.traceParent)
            #expect(kept == [text == "00-\(Self.trace)-\(Self.span)-01" ? text : nil])
        }
    }

    private static let trace = String(repeating: "0a", count: 16)
    private static let span = String(repeating: "0b", count: 8)

    @Test func `a bundle's key that has no id of a capture is damaged`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 12)
            let key = fixture.keyspace.partition(of: submission.device).accepted(submission.bundleDigest)
            try await fixture.redis("SET", .string(key), "zzz")
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            let reply = try await fixture.client.pipeline([call.command])[0]
            #expect(reply.error?.message == "DAMAGED \(key) has no id of a capture", "\(reply)")
            #expect(try await fixture.queue().load().captures == 0)
        }
    }

    /// Nobody could ever settle it: workers look for a device's captures in its own partition.
    @Test func `a device is taken in its own partition only, and refused with its number in another`() async throws {
        try await QueueFixture.with(partitions: 4) { fixture in
            try await fixture.queue().applyLimits()
            let one = try #require(Keyspace(queue: fixture.keyspace.queue, partitions: 1))
            var maker = SubmissionMaker(seed: 2)
            for _ in 0..<16 {
                let submission = maker.submission(of: maker.device())
                let partition = fixture.keyspace.partition(of: submission.device).number
                let call = EnqueueCall(submission, keyspace: one)
                let reply = try await fixture.client.pipeline([call.command])[0]
                if partition == 0 {
                    #expect(reply.array?.first?.string == "accepted")
                } else {
                    let expected = "INVALID device: belongs to partition \(partition) of 4"
                    #expect(reply.error?.message.hasPrefix(expected) == true, "\(reply)")
                    let own = EnqueueCall(submission, keyspace: fixture.keyspace)
                    #expect(try await fixture.client.send(own.command).array?.first?.string == "accepted")
                }
            }
        }
    }

    /// Workers ask the partitions that there are, and no others.
    @Test(arguments: [(1, 8), (4, 8)])
    func `a partition that there is not takes no device`(there: Int, told: Int) async throws {
        try await QueueFixture.with(partitions: there) { fixture in
            try await fixture.queue().applyLimits()
            let wrong = try #require(Keyspace(queue: fixture.keyspace.queue, partitions: told))
            var maker = SubmissionMaker(seed: 4)
            var refused = 0
            for _ in 0..<16 {
                let submission = maker.submission(of: maker.device())
                let partition = fixture.keyspace.partition(of: submission.device).number
                guard wrong.partition(of: submission.device).number != partition else { continue }
                let reply = try await fixture.client.pipeline([EnqueueCall(submission, keyspace: wrong).command])[0]
                let expected = "INVALID device: belongs to partition \(partition) of \(there)"
                #expect(reply.error?.message.hasPrefix(expected) == true, "\(reply)")
                refused += 1
            }
            #expect(refused > 0)
        }
    }

    @Test(arguments: wrong)
    func `a wrong argument is named and nothing is kept`(wrong: Wrong) async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 1)
            var call = EnqueueCall(submission, keyspace: fixture.keyspace)
            call.arguments.removeAll { $0.name == wrong.name }
            if let value = wrong.value { call.arguments.append((wrong.name, value)) }
            let reply = try await fixture.client.pipeline([call.command])
            let message = try #require(reply.first?.error?.message)
            #expect(message.hasPrefix(wrong.error), "\(message)")
            #expect(try await fixture.keys().isEmpty)
        }
    }

    @Test func `an argument given twice is refused`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 2)
            var call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            call.arguments.append(("binding", "framed-v2"))
            let message = try await fixture.client.pipeline([call.command]).first?.error?.message
            #expect(message?.hasPrefix("INVALID arguments: binding is given twice") == true)
        }
    }

    @Test(arguments: 0..<7)
    func `a key that does not belong to the ids is refused`(index: Int) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 3)
            var call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            call.keys[index] += "x"
            let message = try #require(try await fixture.client.pipeline([call.command]).first?.error?.message)
            #expect(message.hasPrefix(index == 0 ? "INVALID KEYS" : "INVALID KEYS[\(index + 1)]"), "\(message)")
            #expect(try await fixture.keys().isEmpty)
        }
    }

    @Test func `the bytes may come with the call`() async throws {
        try await QueueFixture.with { fixture in
            let submission = SubmissionMaker.submission(seed: 4)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            let reply = try await fixture.client.send(call.command)
            #expect(reply.array?.compactMap(\.string) == ["accepted", submission.id.description])
            let media = try #require(try await fixture.bundles.fetch([submission]).first?.media)
            #expect(media.photo.readableBytes == 3 && media.depth.readableBytes == 2)
        }
    }

    /// Commands take no leading zeros: what was written so would end the settling of its whole batch half-way.
    @Test func `numbers are taken with leading zeros, and settled without`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 9)
            let device = maker.device()
            let (first, padded) = (maker.submission(of: device), maker.submission(of: device))
            try await fixture.upload(first)
            var call = EnqueueCall(padded, keyspace: fixture.keyspace)
            call.arguments += [("accepted_ttl_ms", "0172800000"), ("photo_bytes", "0003"), ("depth_bytes", "02")]
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            let (queue, keys) = (fixture.queue(), fixture.keyspace.partition(of: device))
            // As somebody may have written it by hand.
            let written = try await fixture.redis("HGET", .string(keys.job(padded.id)), "bundle").string ?? ""
            #expect(written.hasSuffix(" 3 2 172800000 redis"))
            let old = written.replacing(" 3 2 172800000 ", with: " 03 02 0172800000 ")
            try await fixture.redis("HSET", .string(keys.job(padded.id)), "bundle", .string(old))
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            #expect(try await fixture.redis("PTTL", .string(keys.accepted(padded.bundleDigest))).int ?? 0 > 170_000_000)
            let load = try await queue.load()
            #expect(load.captures == 0 && load.bytes == 0)
        }
    }

    /// `WAIT` counts replicas that have the last write of its connection, and all of them where there was none.
    @Test func `a call that is made again is a write, so that replicas can be waited for behind it`() async throws {
        try await QueueFixture.with(try await PrivateRedis.start()) { fixture in
            func changes() async throws -> Int? {
                let text = try await fixture.redis("INFO", "persistence").string ?? ""
                return text.split(whereSeparator: \.isNewline).compactMap { line in
                    line.hasPrefix("rdb_changes_since_last_save:") ? Int(line.drop { $0 != ":" }.dropFirst()) : nil
                }.first
            }
            var maker = SubmissionMaker(seed: 10)
            let call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            for _ in 0..<2 {
                let before = try #require(try await changes())
                #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
                #expect(try #require(try await changes()) > before)
            }
            #expect(try await fixture.queue().load().captures == 1)
        }
    }
}

/// A call as another language writes it.
struct EnqueueCall {
    var keys: [String]
    var arguments: [(name: String, value: String)]

    init(_ submission: CaptureSubmission, keyspace: Keyspace) {
        let partition = keyspace.partition(of: submission.device)
        keys = [
            partition.ready, partition.lane(submission.device), partition.job(submission.id),
            partition.accepted(submission.bundleDigest), partition.stats, partition.photo(submission.id),
            partition.depth(submission.id),
        ]
        arguments = [
            ("device", submission.device.description), ("capture", submission.id.description),
            ("bundle_digest", submission.bundleDigest.hex), ("binding", "concat-v1"), ("assertion", "a"),
            ("metadata", "{}"), ("photo_sha256", submission.photoDigest.hex),
            ("depth_sha256", submission.depthDigest.hex), ("photo", "abc"), ("depth", "de"),
        ]
    }

    /// The same about bytes that are stored already, or are to be.
    var withoutBytes: EnqueueCall {
        var call = self
        call.arguments.removeAll { ["photo", "depth"].contains($0.name) }
        call.arguments += [("photo_bytes", "3"), ("depth_bytes", "2")]
        return call
    }

    var command: RedisCommand {
        let flat = arguments.flatMap { [RedisArgument.string($0.name), .string($0.value)] }
        return RedisCommand(
            "FCALL", ["capture_enqueue_v1", .integer(keys.count)] + keys.map { .string($0) } + flat)
    }
}
