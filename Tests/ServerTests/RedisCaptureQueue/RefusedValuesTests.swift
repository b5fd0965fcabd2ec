import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Redis has no rollback: a function in which a command refuses such a value would leave its work half done, other
/// devices' captures among it.
@Suite("A value in Redis that a command would refuse", .timeLimit(.minutes(2)))
struct RefusedValuesTests {
    /// Uploads captures of devices of their own.
    private func upload(
        _ count: Int, _ maker: inout SubmissionMaker, _ fixture: QueueFixture
    ) async throws -> [CaptureSubmission] {
        let captures = (0..<count).map { _ in maker.submission(of: maker.device()) }
        for capture in captures { try await fixture.upload(capture) }
        return captures
    }

    /// Changes one word of a job's field `bundle`.
    private func change(
        _ word: Int, to text: String, of capture: CaptureSubmission, _ fixture: QueueFixture
    ) async throws {
        let job = RedisArgument.string(fixture.keyspace[0].job(capture.id))
        var words = try #require(try await fixture.redis("HGET", job, "bundle").string).split(separator: " ")
        words[word] = Substring(text)
        try await fixture.redis("HSET", job, "bundle", .string(words.joined(separator: " ")))
    }

    @Test(arguments: ["9223372036854774784", "99999999999999999999", "-1", "1e300", "much"])
    func `a time that no bundle stays known for ends no settlement half-way`(lifetime: String) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 140)
            let captures = try await upload(4, &maker, fixture)
            let (queue, keys) = (fixture.queue(), fixture.keyspace[0])
            let leases = try await queue.claimNow()
            try await change(3, to: lifetime, of: captures[1], fixture)
            let outcomes = try await queue.settle(leases.map { $0.settling() })
            #expect(outcomes == [SettleOutcome](repeating: .settled, count: captures.count))
            let load = try await queue.load()
            #expect(load.captures == 0 && load.bytes == 0)
            let left = try await fixture.keys()
            for capture in captures {
                #expect(left.isDisjoint(with: [keys.job(capture.id), keys.photo(capture.id), keys.depth(capture.id)]))
                #expect(try await fixture.redis("PTTL", .string(keys.accepted(capture.bundleDigest))).int ?? 0 > 0)
            }
            #expect(left.isDisjoint(with: [keys.heads, keys.laneBytes]))
        }
    }

    @Test(arguments: [1, 2], ["9223372036854774784", "268435457", "1e300"])
    func `a size that no part has is not counted, when it is settled and when it is put back`(
        word: Int, size: String
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 141)
            let captures = try await upload(2, &maker, fixture)
            for capture in captures { try await change(word, to: size, of: capture, fixture) }
            let (queue, stats) = (fixture.queue(), RedisArgument.string(fixture.keyspace[0].stats))
            _ = try await queue.settle(
                queue.claimNow().map { $0.device == captures[0].device ? $0.settling() : $0.burying() })
            #expect(try await queue.redrive(captures[1].id, from: captures[1].device))
            // What the uploads have counted of these parts stays, until the doctor counts again.
            let uploaded = captures.reduce(0) { $0 + $1.photoBytes + $1.depthBytes }
            let bytes = try #require(try await fixture.redis("HGET", stats, "bytes").int)
            #expect((0...uploaded).contains(bytes))
            #expect(try await fixture.redis("HGET", stats, "dead_bytes").int == 0)
        }
    }

    @Test(arguments: ["1e300", "9223372036854775807", "-1", "much"])
    func `a limit that is no time keeps bundles known for the usual one`(lifetime: String) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 142)
            let keys = fixture.keyspace[0]
            try await fixture.redis("HSET", .string(keys.limits), "accepted_ttl_ms", .string(lifetime))
            let capture = try await upload(1, &maker, fixture)[0]
            let queue = fixture.queue()
            let lease = try await queue.claimOne()
            #expect(lease.jobs.first?.submission?.id == capture.id)
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            let left = try await fixture.redis("PTTL", .string(keys.accepted(capture.bundleDigest))).int ?? 0
            #expect(left > 80_000_000 && left <= 86_400_000)
        }
    }

    /// Nothing can be added behind an entry with the highest id, until the stream is deleted.
    @Test func `a stream that takes no more tokens loses no lane, and is named where lanes are to become ready`()
        async throws
    {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 143)
            let device = maker.device()
            let own = (0..<2).map { _ in maker.submission(of: device) }
            for capture in own { try await fixture.upload(capture) }
            let others = try await upload(2, &maker, fixture)
            let (queue, keys) = (fixture.queue(), fixture.keyspace[0])
            let leases = try await queue.claimNow(2)
            let last = "18446744073709551615-18446744073709551615"
            try await fixture.redis("XADD", .string(keys.ready), .string(last), "what", "ever")
            // Its lane needs another token, with the other one of the same call gone by then.
            let outcomes = try await queue.settle(leases.reversed().map { $0.settling(1) })
            #expect(outcomes == [.settled, .settled])
            let late = try await upload(1, &maker, fixture)[0]
            try await fixture.passTime()
            let fault = await #expect(throws: QueueError.self) { _ = try await queue.promote() }
            #expect(fault?.code == .refused, "\(String(describing: fault))")
            #expect(fault?.message.hasSuffix("DAMAGED \(keys.ready) takes no more entries") == true)
            #expect(try await queue.load().delayedLanes == 2)

            try await fixture.redis("DEL", .string(keys.ready))
            try await fixture.passTime()
            let claimed = Set(try await fixture.queue("later").claimNow().flatMap(\.ids))
            #expect(claimed == [own[1].id, others[1].id, late.id])
        }
    }

    /// As the doctor finds the key at its own look, somebody has to write over it in between.
    @Test func `counted bytes that are written over while heads are mended stop it before it begins`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 144)
            let keys = fixture.keyspace[0]
            let devices = (0..<2).map { _ in RedisArgument.string("\(maker.device())") }
            for device in devices { try await fixture.redis("ZADD", .string(keys.heads), 1, device) }
            try await fixture.redis("SET", .string(keys.laneBytes), "x")
            let arguments: [RedisArgument] = ["capture_mend_heads_v1", 1, .string(keys.ready)]
            let reply = try await fixture.client.pipeline([RedisCommand("FCALL", arguments + devices)])[0]
            #expect(reply.error?.message.hasPrefix("DAMAGED \(keys.laneBytes) ") == true, "\(reply)")
            #expect(try await fixture.redis("ZCARD", .string(keys.heads)).int == 2)
        }
    }

    /// Lua takes blanks around a number, and Redis none.
    @Test(arguments: [" 5 ", "nan", "1e400", "much"])
    func `a dead letter whose time is no number is listed again`(time: String) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 145)
            let capture = try await upload(1, &maker, fixture)[0]
            let (queue, keys) = (fixture.queue(), fixture.keyspace[0])
            _ = try await queue.settle([try await queue.claimOne().burying()])
            try await fixture.redis("HSET", .string(keys.job(capture.id)), "settled_at", .string(time))
            try await fixture.redis("ZREM", .string(keys.dead), .string("\(capture.id)"))
            let doctor = QueueDoctor(queue: queue)
            let findings = try await doctor.examine().findings
            #expect(findings.map(\.fault) == [.deadLetterNotListed])
            #expect(try await doctor.mend(findings) == findings)
            #expect(try await queue.deadLetter(capture.id) != nil)
        }
    }
}
