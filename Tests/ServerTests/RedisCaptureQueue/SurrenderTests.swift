import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// A worker that ends itself tells the queue whom it suspects.
@Suite(.timeLimit(.minutes(1)))
struct SurrenderTests {
    private func surrender(_ queue: RedisCaptureQueue, _ suspects: [CaptureID], _ fixture: QueueFixture) async throws {
        for command in queue.surrenders(of: suspects, fault: "it did not end") {
            _ = try await fixture.client.send(command)
        }
    }

    @Test func `only the suspects' deliveries count, and nobody waits for the lease`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 1)
            let devices = (0..<3).map { _ in maker.device() }
            let behind = (0..<3).map { _ in maker.submission(of: devices[0]) }
            let head = maker.submission(of: devices[1])
            let other = maker.submission(of: devices[2])
            for capture in behind + [head, other] { try await fixture.upload(capture) }
            let dying = fixture.queue("a")
            let leases = try await dying.claimNow()
            #expect(leases.flatMap(\.ids).count == 5)
            try await surrender(dying, [behind[1].id, head.id], fixture)
            #expect(leases.allSatisfy { !dying.holds($0.token) }, "nothing is renewed any more")

            let heir = fixture.queue("b")
            #expect(try await heir.hasLapsedLanes())
            let taken = try #require(try await heir.takeOver())
            #expect(taken.ids == [head.id] && taken.deliveries == 2)
            #expect(try await heir.settle([taken.settling(0, .handedBack)]) == [.settled])
            #expect(try await heir.takeOver() == nil)
            #expect(try await dying.claimNow().isEmpty, "nor claimed by what is about to end")
            try await fixture.passTime()
            #expect(try await heir.promote() == 2)
            let fresh = try await heir.claimNow()
            #expect(
                Set(fresh.flatMap(\.ids)) == [behind[0].id, other.id, head.id], "a suspect is not claimed behind others"
            )
            #expect(fresh.allSatisfy { $0.deliveries == 1 })
            #expect(
                try await heir.status(of: [behind[0].id, other.id, head.id]).map { $0?.attempts } == [1, 1, 2],
                "handing back is none")
            _ = try await heir.settle(fresh.map { $0.settling() })
            #expect(try await heir.claimOne().ids == [behind[1].id], "and it is worked alone")
        }
    }

    @Test func `what others hold stays in their hands`() async throws {
        try await QueueFixture.with { fixture in
            let captures = SubmissionMaker.submissions(2, seed: 4)
            for capture in captures { try await fixture.upload(capture) }
            let (other, dying) = (fixture.queue("b"), fixture.queue("a"))
            let theirs = try #require(try await other.claimNow(1).first)
            _ = try await dying.claimOne()
            try await surrender(dying, captures.map(\.id), fixture)
            let job = RedisArgument.string(fixture.keyspace[0].job(theirs.ids[0]))
            #expect(try await fixture.redis("HGET", job, "state").string == "processing")
            #expect(try await fixture.redis("HEXISTS", job, "suspect").int == 0)
            #expect(try await other.settle([theirs.settling()]) == [.settled])
        }
    }

    @Test func `a claim that was under way when everything was given up brings nothing`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 3)
            let dying = fixture.queue("a")
            async let claimed = dying.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(60))
            try await fixture.untilClaimWaits()
            _ = dying.surrenders(of: [], fault: "it did not end")
            let capture = maker.submission(of: maker.device())
            try await fixture.upload(capture)
            #expect(try await claimed.isEmpty)
            // Nor is it lost: another worker gets it once the lease is over.
            try await fixture.passTime()
            let heir = fixture.queue("b")
            let leases = try await heir.claimNow()
            let taken = try await heir.takeOver()
            #expect((leases + [taken].compactMap(\.self)).flatMap(\.ids) == [capture.id])
        }
    }

    /// With several partitions a claim looks again and again, and asks for what it has seen.
    @Test func `a claim that looks again takes nothing once everything was given up`() async throws {
        var configuration = RedisQueueConfiguration.ofTests
        // So that everything is given up between two looks: one that is under way may take something.
        configuration.pollInterval = .seconds(10)
        try await QueueFixture.with(partitions: 2, configuration: configuration) { fixture in
            var maker = SubmissionMaker(seed: 6)
            let dying = fixture.queue("a")
            async let claimed = dying.claim(lanesMax: 4, capturesPerLaneMax: 1, wait: .seconds(60))
            // The first look makes the streams, the second of them as its last step.
            let streams = fixture.keyspace.all.map { RedisArgument.string($0.ready) }
            for stream in streams { try await eventually { try await fixture.redis("EXISTS", stream).int == 1 } }
            _ = dying.surrenders(of: [], fault: "it did not end")
            for _ in 0..<4 { try await fixture.upload(maker.submission(of: maker.device())) }
            #expect(try await claimed.isEmpty)
            for keys in fixture.keyspace.all {
                let pending = try await fixture.redis("XPENDING", .string(keys.ready), "workers")
                #expect(pending.array?.first?.int == 0, "nothing waits for a lease")
            }
        }
    }

    @Test func `what happened is told with the dead letter`() async throws {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.deliveriesMax = 2
        try await QueueFixture.with(configuration: configuration) { fixture in
            let capture = SubmissionMaker.submission(seed: 2)
            try await fixture.upload(capture)
            let first = fixture.queue("a")
            _ = try await first.claimOne()
            try await surrender(first, [capture.id], fixture)
            let second = fixture.queue("b")
            #expect(try await second.takeOver()?.deliveries == 2)
            try await surrender(second, [capture.id], fixture)
            #expect(try await fixture.queue("c").takeOver() == nil)
            let letter = try await fixture.queue("c").deadLetters(after: nil, limit: 1).letters.first
            #expect(letter?.status.fault == "it did not end; 2 deliveries")
            #expect(letter?.status.reason == .deliveriesExhausted)
            #expect(try await fixture.queue("c").redrive(capture.id))
            let redriven = try await fixture.queue("c").status(of: [capture.id]).first ?? nil
            #expect(redriven?.isRedriven == true && redriven?.fault == nil)
            // The next ones are ended, and leave no word.
            _ = try await fixture.queue("c").claimOne()
            try await fixture.passTime()
            #expect(try await fixture.queue("d").takeOver()?.deliveries == 2)
            try await fixture.passTime()
            #expect(try await fixture.queue("e").takeOver() == nil)
            let last = try await fixture.queue("e").deadLetters(after: nil, limit: 1).letters.first
            #expect(last?.status.fault == "its worker did not come back; 2 deliveries")
        }
    }

    @Test(arguments: [true, false])
    func `the word of a worker is not told of a later one that left none`(cameBack: Bool) async throws {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.deliveriesMax = 2
        try await QueueFixture.with(configuration: configuration) { fixture in
            let capture = SubmissionMaker.submission(seed: 5)
            try await fixture.upload(capture)
            let first = fixture.queue("a")
            _ = try await first.claimOne()
            try await surrender(first, [capture.id], fixture)
            let second = fixture.queue("b")
            let taken = try #require(try await second.takeOver())
            if cameBack {
                // With nothing done; whoever claims it next is ended.
                #expect(try await second.settle([taken.settling(0, .handedBack)]) == [.settled])
                _ = try await fixture.queue("c").claimOne()
            }
            try await fixture.passTime()
            #expect(try await fixture.queue("d").takeOver() == nil)
            let letter = try await fixture.queue("d").deadLetters(after: nil, limit: 1).letters.first
            #expect(letter?.status.fault == "its worker did not come back; 2 deliveries")
        }
    }
}
