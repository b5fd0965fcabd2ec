import CaptureModel
import CaptureQueue
import TestSupport
import Testing

/// What holds for every queue when a worker is gone, or is taken for gone.
@Suite(.timeLimit(.minutes(2)))
struct LostWorkerConformanceTests {
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
            let capture = SubmissionMaker.submission(seed: 14)
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
