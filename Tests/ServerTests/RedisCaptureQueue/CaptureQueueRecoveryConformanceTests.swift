import CaptureModel
import CaptureQueue
import TestSupport
import Testing

/// What holds for every queue when work is put off, handed back, or settled twice.
@Suite(.timeLimit(.minutes(2)))
struct CaptureQueueRecoveryConformanceTests {
    @Test(arguments: ConformingQueue.allCases)
    func `a lane that is put off comes back in order when its time is over`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 1)
            let device = maker.device()
            let captures = (0..<2).map { _ in maker.submission(of: device) }
            for capture in captures { _ = try await fixture.upload(capture) }
            let queue = fixture.worker("a")
            let lease = try await queue.claimOne()
            _ = try await queue.settle([lease.settling(0, .delayed(.seconds(60), fault: "postgres away"))])
            let status = try await queue.status(of: captures.map(\.id)).compactMap { $0 }
            #expect(status.map(\.state) == [.retrying, .queued])
            #expect(status.map(\.attempts) == [1, 0], "the second was not tried")
            #expect(status[0].fault == "postgres away" && status[0].nextAttemptAt != nil)
            #expect(try await queue.promote() == 0)
            #expect(try await queue.claimNow().isEmpty)
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)
            #expect(try await queue.claimOne().ids == captures.map(\.id))
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a capture that is put off says why, until it is tried again`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            let capture = SubmissionMaker.submission(seed: 17)
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            let putOff = LaneSettlement.Continuation.delayed(.seconds(60), reason: .bundleCorrupt, fault: "changed: 2")
            _ = try await queue.settle([try await queue.claimOne().settling(0, putOff)])
            let status = try await queue.status(of: [capture.id])[0]
            #expect(status?.reason == .bundleCorrupt && status?.fault == "changed: 2")
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)
            let lease = try await queue.claimOne()
            let claimed = try await queue.status(of: [capture.id])[0]
            #expect(claimed?.reason == nil && claimed?.fault == "changed: 2")
            #expect(claimed?.claimedAt != nil && claimed?.nextAttemptAt == nil, "this is the attempt")
            let away = LaneSettlement.Continuation.delayed(.seconds(60), fault: "store conflict: a: b")
            _ = try await queue.settle([lease.settling(0, away)])
            let again = try await queue.status(of: [capture.id])[0]
            #expect(again?.reason == nil && again?.fault == "store conflict: a: b")
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a capture may be put off without an attempt`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 18)
            let device = maker.device()
            let captures = (0..<2).map { _ in maker.submission(of: device) }
            for capture in captures { _ = try await fixture.upload(capture) }
            let queue = fixture.worker("a")
            for isAttempt in [true, false, false] {
                let away = LaneSettlement.Continuation.delayed(.seconds(60), fault: "locked", isAttempt: isAttempt)
                #expect(try await queue.settle([try await queue.claimOne().settling(0, away)]) == [.settled])
                let status = try await queue.status(of: captures.map(\.id)).compactMap(\.self)
                #expect(status.map(\.state) == [.retrying, .queued] && status.map(\.attempts) == [1, 0])
                #expect(status[0].fault == "locked" && status[0].nextAttemptAt != nil)
                try await fixture.passTime()
                #expect(try await queue.promote() == 1)
            }
        }
    }

    @Test(
        arguments: ConformingQueue.allCases,
        [(LaneSettlement.Continuation.handedBack, 0), (LaneSettlement.Continuation.ready, 1)]
    )
    func `handing work back costs no attempt`(
        kind: ConformingQueue, given: (continuation: LaneSettlement.Continuation, attempts: Int)
    ) async throws {
        try await kind.with { fixture in
            let capture = SubmissionMaker.submission(seed: 2)
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            _ = try await queue.settle([try await queue.claimOne().settling(0, given.continuation)])
            let status = try #require(try await queue.status(of: [capture.id]).first ?? nil)
            #expect(status.state == .queued && status.attempts == given.attempts)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a settlement sent twice is done once`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 9)
            let device = maker.device()
            for _ in 0..<2 { _ = try await fixture.upload(maker.submission(of: device)) }
            let queue = fixture.worker("a")
            let settlement = try await queue.claimOne(captures: 1).settling()
            #expect(try await queue.settle([settlement]) == [.settled])
            #expect(try await queue.settle([settlement]) == [.fenced])
            let load = try await queue.load()
            #expect(load.captures == 1 && load.bytes == 5 && load.readyLanes == 1)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a settlement that is not the head of the lane changes nothing`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 10)
            let device = maker.device()
            let captures = (0..<2).map { _ in maker.submission(of: device) }
            for capture in captures { _ = try await fixture.upload(capture) }
            let queue = fixture.worker("a")
            let lease = try await queue.claimOne()
            let gap = LaneSettlement(
                token: lease.token, device: device, items: Array(lease.settling().items.dropFirst()),
                continuation: .ready
            )
            #expect(try await queue.settle([gap]) == [.mismatch])
            #expect(try await queue.load().captures == 2)
            #expect(try await queue.settle([lease.settling()]) == [.settled])
        }
    }
}
