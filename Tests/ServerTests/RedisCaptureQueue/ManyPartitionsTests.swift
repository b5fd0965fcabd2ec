import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// A question to every partition at once is more than a connection takes in one go.
@Suite("A queue of many partitions", .timeLimit(.minutes(2)))
struct ManyPartitionsTests {
    @Test
    func `a queue of partitions tells where as many captures stand as may be asked about at once, in the order asked`()
        async throws
    {
        try await QueueFixture.with(partitions: 64) { fixture in
            var maker = SubmissionMaker(seed: 50)
            let known = (0..<2).map { _ in maker.submission(of: maker.device()) }
            for capture in known { try await fixture.upload(capture) }
            let queue = fixture.queue()
            let lease = try #require(
                try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            let strangers = (0..<498).map { _ in maker.submission(of: maker.device()).id }
            let found = try await queue.status(of: [known[0].id] + strangers + [known[1].id])
            #expect(found.count == 500)
            #expect(found.first??.id == known[0].id && found.last??.id == known[1].id)
            #expect(Set(found.compactMap(\.?.state)) == [.queued, .verified])
            let presence = try await queue.presence(of: known.map { (capture: $0.id, device: $0.device) })
            #expect(presence.count { $0 == .known } == 1 && presence.count { $0 == .settled } == 1)
        }
    }

    /// As gateways in other languages could do before functions refused it: it ends, and holds up nobody.
    @Test
    func `a queue of partitions settles a lane where it was claimed, also in a partition that is not its device's`()
        async throws
    {
        try await QueueFixture.with(partitions: 4) { fixture in
            let one = try #require(Keyspace(queue: fixture.keyspace.queue, partitions: 1))
            var maker = SubmissionMaker(seed: 52)
            var submission = maker.submission(of: maker.device())
            while fixture.keyspace.partition(of: submission.device).number == 0 {
                submission = maker.submission(of: maker.device())
            }
            _ = try await fixture.client.send(EnqueueCall(submission, keyspace: one).command)
            let queue = fixture.queue()
            let lease = try await queue.claimOne()
            #expect(lease.token.partition == 0 && lease.ids == [submission.id])
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            #expect(try await queue.load().captures == 0)
        }
    }

    /// Otherwise its questions would fail while others' commands wait, and others' commands while they wait.
    @Test func `a queue of more partitions than a connection takes commands answers as a whole`() async throws {
        try await QueueFixture.with(partitions: 1024, backlogMax: 1010) { fixture in
            let capture = SubmissionMaker.submission(seed: 56)
            try await fixture.upload(capture)
            let queue = fixture.queue()
            #expect(try await queue.load().captures == 1)
            #expect(try await queue.status(of: [capture.id])[0]?.state == .queued)
            #expect(try await !queue.hasLapsedLanes())
            let nowhere = DeadLetter.Position(diedAt: Timestamp(millisecondsSince1970: 1), capture: capture.id)
            #expect(try await !queue.discard(nowhere))
            try await queue.setPaused(since: Timestamp.systemTime())
            #expect(try await queue.load().isPaused)
            try await queue.setPaused(since: nil)
            #expect(try await !queue.load().isPaused)
        }
    }

    @Test func `a queue of partitions tells what became of an hour and a day`() async throws {
        try await QueueFixture.with(partitions: 512) { fixture in
            var maker = SubmissionMaker(seed: 51)
            for _ in 0..<3 { try await fixture.upload(maker.submission(of: maker.device())) }
            let overview = try await fixture.queue().overview()
            #expect(overview.load.captures == 3 && overview.lastHour.accepted == 3 && overview.lastDay.accepted == 3)
        }
    }

    /// How often Redis was called since it was last asked to begin anew.
    private func calls(_ command: String, _ fixture: QueueFixture) async throws -> Int {
        let lines = try await fixture.redis("INFO", "commandstats").string?.split(whereSeparator: \.isNewline) ?? []
        let start = "cmdstat_\(command):calls="
        guard let line = lines.first(where: { $0.hasPrefix(start) }) else { return 0 }
        return Int(line.dropFirst(start.count).prefix { $0.isNumber }) ?? 0
    }

    @Test func `a queue of partitions is looked at as a whole, and only what has something is worked`() async throws {
        try await QueueFixture.withOwnServer(partitions: 64) { fixture in
            var maker = SubmissionMaker(seed: 53)
            let queue = fixture.queue("a")
            // The first makes the streams.
            #expect(try await queue.claimNow().isEmpty)
            try await fixture.redis("CONFIG", "RESETSTAT")
            for _ in 0..<3 { #expect(try await queue.claimNow().isEmpty) }
            #expect(try await calls("fcall", fixture) == 3)
            #expect(try await queue.promote() == 0)
            #expect(try await calls("fcall", fixture) == 4)

            let captures = (0..<2).map { _ in maker.submission(of: maker.device()) }
            for capture in captures { try await fixture.upload(capture) }
            let leases = try await queue.claimNow()
            #expect(Set(leases.flatMap(\.ids)) == Set(captures.map(\.id)))
            let delay = LaneSettlement.Continuation.delayed(.seconds(60), fault: "later")
            #expect(try await queue.settle([leases[0].settling(0, delay)]) == [.settled])
            #expect(try await queue.promote() == 0)
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)

            let heir = fixture.queue("b")
            #expect(try await heir.hasLapsedLanes())
            try await fixture.redis("CONFIG", "RESETSTAT")
            #expect(try await heir.takeOver()?.device == leases[1].device)
            #expect(try await heir.takeOver() == nil)
            #expect(try await calls("fcall", fixture) == 2, "one partition was asked, twice")
            try await fixture.passTime()
            #expect(try await fixture.queue("c").takeOver()?.device == leases[1].device, "who has not looked asks all")
        }
    }

    @Test func `a queue of partitions costs one call where the device of a capture is known`() async throws {
        try await QueueFixture.withOwnServer(partitions: 64) { fixture in
            var maker = SubmissionMaker(seed: 57)
            let (queue, device) = (fixture.queue("a"), maker.device())
            let captures = (0..<2).map { _ in maker.submission(of: device) }
            for capture in captures { try await fixture.upload(capture) }
            try await fixture.redis("CONFIG", "RESETSTAT")
            let found = try await queue.status(of: captures.map(\.id), from: device)
            #expect(found.map(\.?.state) == [.queued, .queued])
            #expect(try await calls("hmget", fixture) == 2)
            #expect(try await !queue.redrive(captures[0].id, from: device))
            #expect(try await !queue.redrive(captures[0].id, in: queue.partition(of: device)))
            #expect(try await calls("fcall", fixture) == 2)
        }
    }

    /// What a worker asks about a batch whose leases may be lost.
    @Test func `a queue of partitions costs two commands for each capture whose device is known, however many devices`()
        async throws
    {
        try await QueueFixture.withOwnServer(partitions: 16) { fixture in
            let captures = SubmissionMaker.submissions(31, seed: 58)
            for capture in captures { try await fixture.upload(capture) }
            let queue = fixture.queue("a")
            let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            try await fixture.redis("CONFIG", "RESETSTAT")
            let found = try await queue.status(of: captures.map { (capture: $0.id, device: $0.device) })
            #expect(found.compactMap(\.?.id) == captures.map(\.id))
            #expect(found.count { $0?.state == .verified } == 1)
            #expect(try await calls("hmget", fixture) == captures.count)
            #expect(try await calls("get", fixture) == captures.count)
        }
    }

    @Test func `a queue of partitions costs few calls where one device has all that waits, and a claim takes one lane`()
        async throws
    {
        try await QueueFixture.withOwnServer(partitions: 64) { fixture in
            var maker = SubmissionMaker(seed: 55)
            let (queue, device) = (fixture.queue("a"), maker.device())
            #expect(try await queue.claimNow().isEmpty)
            for _ in 0..<3 { try await fixture.upload(maker.submission(of: device)) }
            try await fixture.redis("CONFIG", "RESETSTAT")
            for _ in 0..<3 {
                let claimed = try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
                #expect(try await queue.settle([try #require(claimed.first).settling()]) == [.settled])
            }
            // For each: a claim in turn, one where something was seen, and the settlement.
            #expect(try await calls("fcall", fixture) <= 9)
        }
    }

    @Test func `a queue of partitions is looked at less often while it is idle, and at once where something was found`()
        async throws
    {
        try await QueueFixture.withOwnServer(partitions: 1024) { fixture in
            var maker = SubmissionMaker(seed: 54)
            let queue = fixture.queue("a")
            #expect(try await queue.claimNow().isEmpty)
            try await fixture.redis("CONFIG", "RESETSTAT")
            let began = ContinuousClock.now
            for _ in 0..<10 {
                let claimed = try await queue.claim(lanesMax: 4, capturesPerLaneMax: 1, wait: .milliseconds(200))
                #expect(claimed.isEmpty)
            }
            // One before anything was found to be idle, and one each half second.
            let looks = 1 + Int(began.duration(to: .now) / .milliseconds(512))
            #expect(try await calls("xrevrange", fixture) <= looks * 1023)
            try await fixture.upload(maker.submission(of: maker.device()))
            let claimed = try await queue.claim(lanesMax: 4, capturesPerLaneMax: 1, wait: .seconds(10))
            #expect(claimed.count == 1)
            try await fixture.upload(maker.submission(of: maker.device()))
            let next = try await queue.claim(lanesMax: 4, capturesPerLaneMax: 1, wait: .milliseconds(1))
            #expect(next.count == 1)
        }
    }
}
