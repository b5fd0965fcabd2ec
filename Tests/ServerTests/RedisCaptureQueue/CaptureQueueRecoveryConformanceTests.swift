import CaptureModel
import CaptureQueue
import TestSupport
import Testing

/// What holds for every queue when something goes wrong: faults, crashes, zombies.
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
            var maker = SubmissionMaker(seed: 17)
            let capture = maker.submission(of: maker.device())
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
            var maker = SubmissionMaker(seed: 2)
            let capture = maker.submission(of: maker.device())
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            _ = try await queue.settle([try await queue.claimOne().settling(0, given.continuation)])
            let status = try #require(try await queue.status(of: [capture.id]).first ?? nil)
            #expect(status.state == .queued && status.attempts == given.attempts)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a lost lease cannot settle`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 3)
            let device = maker.device()
            let captures = (0..<3).map { _ in maker.submission(of: device) }
            for capture in captures { _ = try await fixture.upload(capture) }
            let zombie = try await fixture.worker("a").claimOne()
            try await fixture.passTime()
            let taken = try #require(try await fixture.worker("b").takeOver())
            #expect(taken.deliveries == 2)
            #expect(taken.ids == [captures[0].id], "what was lost is worked alone")
            #expect(try await fixture.worker("a").settle([zombie.settling()]) == [.fenced])
            #expect(try await fixture.worker("b").settle([taken.settling()]) == [.settled])
            #expect(try await fixture.worker("b").load().captures == 2)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a worker that takes over from itself has one lease only`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 4)
            _ = try await fixture.upload(maker.submission(of: maker.device()))
            let queue = fixture.worker("a")
            let old = try await queue.claimOne()
            try await fixture.passTime()
            let new = try #require(try await queue.takeOver())
            #expect(try await queue.settle([old.settling(), new.settling()]) == [.fenced, .settled])
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `everything that a lost worker had in hands is worked one by one`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 5)
            let device = maker.device()
            let captures = (0..<5).map { _ in maker.submission(of: device) }
            for capture in captures { _ = try await fixture.upload(capture) }
            let queue = fixture.worker("b")
            _ = try await fixture.worker("a").claimOne(captures: 3)
            try await fixture.passTime()
            var worked = [try #require(try await queue.takeOver())]
            _ = try await queue.settle([worked[0].settling()])
            while let lease = try await queue.claimNow().first {
                _ = try await queue.settle([lease.settling()])
                worked.append(lease)
            }
            #expect(worked.map(\.ids.count) == [1, 1, 1, 2])
            #expect(worked.flatMap(\.ids) == captures.map(\.id))
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a capture that takes its workers down becomes a dead letter and the lane goes on`(
        kind: ConformingQueue
    ) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 6)
            let device = maker.device()
            let captures = (0..<2).map { _ in maker.submission(of: device) }
            for capture in captures { _ = try await fixture.upload(capture) }
            _ = try await fixture.worker("a").claimOne()
            try await fixture.passTime()
            let second = try #require(try await fixture.worker("b").takeOver())
            #expect(second.ids == [captures[0].id])
            try await fixture.passTime()
            #expect(try await fixture.worker("c").takeOver() == nil, "two deliveries are the most here")
            let letters = try await fixture.worker("c").deadLetters(after: nil, limit: 10).letters
            #expect(letters.map(\.id) == [captures[0].id])
            #expect(letters.first?.status.reason == .deliveriesExhausted && letters.first?.status.state == .failed)
            #expect(try await fixture.worker("c").claimOne().ids == [captures[1].id])
        }
    }

    @Test(
        arguments: ConformingQueue.allCases,
        [LaneSettlement.Continuation.handedBack, .ready, .delayed(.seconds(60), fault: "away")]
    )
    func `what takes its workers down is counted however its lane was given back in between`(
        kind: ConformingQueue, continuation: LaneSettlement.Continuation
    ) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 14)
            let capture = maker.submission(of: maker.device())
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            for isRedriven in [false, true] {
                if isRedriven { #expect(try await queue.redrive(capture.id)) }
                let first = try await queue.claimOne()
                #expect(first.isSuspect == isRedriven, "put back, it is what it was")
                try await fixture.passTime()
                let taken = try #require(try await queue.takeOver(), "it begins anew when an operator says so")
                #expect(try await queue.settle([taken.settling(0, continuation)]) == [.settled])
                try await fixture.passTime()
                _ = try await queue.promote()
                let again = try await queue.claimOne()
                #expect(again.isSuspect && again.deliveries == 1, "under another token, and as suspect as before")
                try await fixture.passTime()
                #expect(try await queue.takeOver() == nil, "two deliveries are the most here")
                let letter = try await queue.deadLetter(capture.id)
                #expect(letter?.status.fault == "its worker did not come back; 2 deliveries")
            }
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a renewed lease does not lapse`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 7)
            _ = try await fixture.upload(maker.submission(of: maker.device()))
            let holder = fixture.worker("a")
            let lease = try await holder.claimOne()
            try await fixture.passTime()
            try await fixture.renew(holder)
            #expect(try await fixture.worker("b").takeOver() == nil)
            #expect(try await holder.settle([lease.settling()]) == [.settled])
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `renewing does not take a lane back`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 8)
            _ = try await fixture.upload(maker.submission(of: maker.device()))
            let zombie = fixture.worker("a")
            let lost = try await zombie.claimOne()
            try await fixture.passTime()
            let taken = try #require(try await fixture.worker("b").takeOver())
            try await fixture.renew(zombie)
            #expect(try await zombie.settle([lost.settling()]) == [.fenced])
            #expect(try await fixture.worker("b").settle([taken.settling()]) == [.settled])
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
            #expect(try await queue.settle([gap]) == [.fenced])
            #expect(try await queue.load().captures == 2)
            #expect(try await queue.settle([lease.settling()]) == [.settled])
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `one lost lane does not stop the others of a batch`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 11)
            for _ in 0..<3 { _ = try await fixture.upload(maker.submission(of: maker.device())) }
            let queue = fixture.worker("a")
            let leases = try await queue.claimNow()
            _ = try await queue.settle([leases[1].settling()])
            #expect(try await queue.settle(leases.map { $0.settling() }) == [.settled, .fenced, .settled])
            #expect(try await queue.load().captures == 0)
        }
    }
}
