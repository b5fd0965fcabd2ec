import CaptureModel
import CaptureQueue
import Foundation
import TestSupport
import Testing

/// What holds for every queue: gateways' and workers' sides.
@Suite(.timeLimit(.minutes(2)))
struct CaptureQueueConformanceTests {
    @Test(arguments: ConformingQueue.allCases)
    func `captures of a device are claimed in the order in which they were accepted`(kind: ConformingQueue) async throws
    {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 1)
            let device = maker.device()
            let captures = (0..<5).map { _ in maker.submission(of: device) }
            for capture in captures { #expect(try await fixture.upload(capture) == .accepted) }
            let queue = fixture.worker("a")
            let first = try await queue.claimOne(captures: 3)
            #expect(first.ids == captures.prefix(3).map(\.id))
            #expect(first.device == device && first.deliveries == 1)
            #expect(try await queue.settle([first.settling()]) == [.settled])
            #expect(try await queue.claimOne(captures: 3).ids == captures.suffix(2).map(\.id))
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a claimed job is what was submitted`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 2)
            // Whole milliseconds, and as long ago as an upload may take.
            let received = Timestamp(millisecondsSince1970: Timestamp(Date()).millisecondsSince1970 - 60_123)
            let capture = maker.submission(
                of: maker.device(), receivedAt: received,
                traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            )
            _ = try await fixture.upload(capture)
            guard case .valid(let job) = try await fixture.worker("a").claimOne().jobs.first else {
                Issue.record("not a valid job")
                return
            }
            #expect(job.submission == capture)
            #expect(job.receivedAt == received && job.attempts == 1 && !job.isRedriven)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a bundle that is enqueued again is the same capture`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 3)
            let first = maker.submission(of: maker.device())
            let again = maker.submission(of: first.device, digest: first.bundleDigest)
            #expect(try await fixture.upload(first) == .accepted)
            #expect(try await fixture.upload(again) == .duplicate(of: first.id))
            #expect(try await fixture.upload(first) == .accepted, "a retry whose answer was lost is told the same")
            let queue = fixture.worker("a")
            #expect(try await queue.accepted(first.bundleDigest) == first.id)
            #expect(try await queue.accepted(.hash([0])) == nil)
            #expect(try await queue.load().captures == 1)
            let lease = try await queue.claimOne()
            #expect(lease.ids == [first.id])
            _ = try await queue.settle([lease.settling()])
            #expect(try await fixture.upload(again) == .duplicate(of: first.id), "also after it was settled")
            #expect(try await queue.load().captures == 0)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a capture id belongs to one bundle`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 4)
            let first = maker.submission(of: maker.device())
            let other = maker.submission(of: first.device, id: first.id)
            _ = try await fixture.upload(first)
            await #expect(throws: QueueError(.refused, "")) { try await fixture.upload(other) }
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a full queue refuses captures and keeps nothing of them`(kind: ConformingQueue) async throws {
        try await kind.with(capturesMax: 2) { fixture in
            var maker = SubmissionMaker(seed: 5)
            let device = maker.device()
            let captures = (0..<3).map { _ in maker.submission(of: device) }
            var outcomes: [EnqueueOutcome] = []
            for capture in captures { outcomes.append(try await fixture.upload(capture)) }
            #expect(outcomes == [.accepted, .accepted, .full])
            let queue = fixture.worker("a")
            #expect(try await queue.status(of: [captures[2].id]) == [nil])
            #expect(try await fixture.upload(captures[0]) == .accepted, "what was accepted stays accepted")
            _ = try await queue.settle([try await queue.claimOne(captures: 1).settling()])
            #expect(try await fixture.upload(captures[2]) == .accepted)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `the limit on bytes counts photo and depth map`(kind: ConformingQueue) async throws {
        try await kind.with(bytesMax: 100) { fixture in
            var maker = SubmissionMaker(seed: 6)
            let device = maker.device()
            #expect(try await fixture.upload(maker.submission(of: device, photoBytes: 40, depthBytes: 20)) == .accepted)
            #expect(try await fixture.upload(maker.submission(of: device, photoBytes: 40, depthBytes: 1)) == .full)
            #expect(try await fixture.upload(maker.submission(of: device, photoBytes: 20, depthBytes: 20)) == .accepted)
            let load = try await fixture.worker("a").load()
            #expect(load.captures == 2 && load.bytes == 100)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a lane is in one pair of hands`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 7)
            let device = maker.device()
            _ = try await fixture.upload(maker.submission(of: device))
            let lease = try await fixture.worker("a").claimOne()
            _ = try await fixture.upload(maker.submission(of: device))
            #expect(try await fixture.worker("b").claimNow().isEmpty)
            #expect(try await fixture.worker("b").takeOver() == nil, "its lease has not lapsed")
            _ = try await fixture.worker("a").settle([lease.settling()])
            #expect(try await fixture.worker("b").claimNow().count == 1)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a backlog of one device does not delay another`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 8)
            let (busy, quiet) = (maker.device(), maker.device())
            for _ in 0..<20 { _ = try await fixture.upload(maker.submission(of: busy)) }
            let single = maker.submission(of: quiet)
            _ = try await fixture.upload(single)
            let queue = fixture.worker("a")
            var rounds = 0
            while try await queue.state(of: single) != .verified, rounds < 3 {
                rounds += 1
                for lease in try await queue.claimNow(1, captures: 2) { _ = try await queue.settle([lease.settling()]) }
            }
            #expect(rounds <= 2)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a settled capture keeps its status and nothing else`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            let capture = SubmissionMaker.submission(seed: 9)
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            #expect(try await queue.state(of: capture) == .queued)
            let lease = try await queue.claimOne()
            #expect(try await queue.state(of: capture) == .processing)
            _ = try await queue.settle([lease.settling(as: .rejected(.counterReplay))])
            let status = try #require(try await queue.status(of: [capture.id]).first ?? nil)
            #expect(status.state == .rejected && status.reason == .counterReplay && status.attempts == 1)
            #expect(status.device == capture.device && status.claimedAt != nil && status.settledAt != nil)
            let load = try await queue.load()
            #expect(load.captures == 0 && load.bytes == 0 && load.readyLanes == 0 && load.leasedLanes == 0)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `the load counts lanes where they are`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 10)
            for _ in 0..<3 { _ = try await fixture.upload(maker.submission(of: maker.device())) }
            let queue = fixture.worker("a")
            let leases = try await queue.claimNow(2)
            _ = try await queue.settle([leases[0].settling(0, .delayed(.seconds(60), fault: "away"))])
            let load = try await queue.load()
            #expect(load.captures == 3 && load.readyLanes == 1 && load.leasedLanes == 1 && load.delayedLanes == 1)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a claim that waits gets the next capture`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            let capture = SubmissionMaker.submission(seed: 11)
            let queue = fixture.worker("a")
            async let leases = queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(60))
            _ = try await fixture.upload(capture)
            #expect(try await leases.map(\.ids) == [[capture.id]])
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a paused queue hands out nothing`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 12)
            _ = try await fixture.upload(maker.submission(of: maker.device()))
            let queue = fixture.worker("a")
            try await fixture.setPaused(true)
            #expect(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .milliseconds(10)).isEmpty)
            #expect(try await queue.load().isPaused)
            try await fixture.setPaused(false)
            #expect(try await queue.claimNow().count == 1)
            try await fixture.passTime()
            try await fixture.setPaused(true)
            #expect(try await fixture.worker("b").takeOver() == nil)
            try await fixture.setPaused(false)
            #expect(try await fixture.worker("b").takeOver() != nil)
        }
    }
}
