import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// A key of one capture that somebody has written over by hand: what concerns that capture names the key.
@Suite("A job that is damaged in Redis", .timeLimit(.minutes(2)))
struct DamagedJobTests {
    /// Uploads captures of devices of their own.
    private func upload(_ count: Int, _ seed: UInt64, _ fixture: QueueFixture) async throws -> [CaptureSubmission] {
        let captures = SubmissionMaker.submissions(count, seed: seed)
        for capture in captures { try await fixture.upload(capture) }
        return captures
    }

    @Test func `a damaged job makes a dead letter of its capture, as one that is missing does`() async throws {
        try await QueueFixture.with { fixture in
            let captures = try await upload(2, 7, fixture)
            let job = fixture.keyspace[0].job(captures[0].id)
            try await fixture.redis("SET", .string(job), "x")
            let queue = fixture.queue()
            let leases = try await queue.claimNow()
            #expect(Set(leases.flatMap(\.ids)) == Set(captures.map(\.id)))
            let settlements = leases.map { $0.ids == [captures[0].id] ? $0.burying() : $0.settling() }
            #expect(try await queue.settle(settlements) == [.settled, .settled])
            #expect(try await queue.deadLetter(captures[0].id)?.status.state == .failed)
        }
    }

    /// A batch loads the devices of its lanes: judged, the capture of a registered device could be `DEVICE_UNKNOWN`.
    @Test func `a damaged job that is of another device than its lane becomes a dead letter, and is not judged`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let captures = try await upload(2, 93, fixture)
            let keys = fixture.keyspace[0]
            let jobs = captures.map { RedisArgument.string(keys.job($0.id)) }
            try await fixture.redis("COPY", jobs[1], jobs[0], "REPLACE")
            let queue = fixture.queue()
            let malformed = ClaimedJob.malformed(captures[0].id, fault: "the job is of another device than its lane")
            #expect(try await queue.job(of: captures[0].id, from: captures[0].device) == malformed)
            let leases = try await queue.claimNow()
            let moved = try #require(leases.first { $0.device == captures[0].device })
            #expect(moved.jobs == [malformed])
            let other = try #require(leases.first { $0.device == captures[1].device })
            #expect(other.jobs.compactMap(\.submission?.id) == [captures[1].id])
            #expect(try await queue.settle([moved.burying(), other.settling()]) == [.settled, .settled])
            #expect(try await queue.deadLetter(captures[0].id)?.status.device == captures[0].device)
        }
    }

    @Test(arguments: ["job", "settled"])
    func `a damaged job is named to everybody who asks for the status of its capture`(kind: String) async throws {
        try await QueueFixture.with { fixture in
            let captures = try await upload(2, 90, fixture)
            let key = "{\(fixture.keyspace.queue):0}:\(kind):\(captures[0].id)"
            try await fixture.redis("DEL", .string(key))
            try await fixture.redis("SADD", .string(key), "x")
            let queue = fixture.queue()
            let fault = await #expect(throws: QueueError.self) {
                _ = try await queue.status(of: captures.map(\.id))
            }
            #expect(fault?.code == .refused && fault?.message == "DAMAGED \(key) is of another type")
            #expect(try await queue.status(of: [captures[1].id]).first??.state == .queued)
        }
    }

    @Test func `a damaged job of a dead letter is named to everybody who asks for it, and does not hide others`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let captures = try await upload(2, 91, fixture)
            let queue = fixture.queue()
            _ = try await queue.settle(queue.claimNow().map { $0.burying() })
            let job = fixture.keyspace[0].job(captures[0].id)
            try await fixture.redis("SET", .string(job), "x")
            #expect(try await queue.deadLetters(after: nil, limit: 10).letters.map(\.id) == [captures[1].id])
            let reading = await #expect(throws: QueueError.self) { _ = try await queue.deadLetter(captures[0].id) }
            #expect(reading?.message.hasPrefix("DAMAGED \(job) ") == true)
            let redriving = await #expect(throws: QueueError.self) {
                _ = try await queue.redrive(captures[0].id, from: captures[0].device)
            }
            #expect(redriving?.message.hasPrefix("DAMAGED \(job) ") == true)
        }
    }

    /// It has left the list by then: with an error it would be in none, and its bytes would stay.
    @Test func `a damaged job of a dead letter that is being discarded goes with it`() async throws {
        try await QueueFixture.with { fixture in
            let capture = try await upload(1, 92, fixture)[0]
            let (queue, keys) = (fixture.queue(), fixture.keyspace[0])
            _ = try await queue.settle(queue.claimNow().map { $0.burying() })
            let letter = try #require(try await queue.deadLetter(capture.id))
            try await fixture.redis("SET", .string(keys.job(capture.id)), "x")
            #expect(try await queue.discard(letter.position))
            let left = try await fixture.keys()
            #expect(left.isDisjoint(with: [keys.job(capture.id), keys.photo(capture.id), keys.depth(capture.id)]))
            #expect(try await queue.load().deadLetters == 0)
        }
    }
}
