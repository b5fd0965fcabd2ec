import CaptureModel
import CaptureQueue
import TestSupport
import Testing

/// What holds for every queue about captures that are given up, put back or discarded.
@Suite(.timeLimit(.minutes(2)))
struct DeadLetterConformanceTests {
    @Test(arguments: [ConformingQueue.redis, .redisWithPartitions])
    func `a dead letter tells every delivery, also those before its lane was handed back`(
        kind: ConformingQueue
    ) async throws {
        try await kind.with { fixture in
            let capture = SubmissionMaker.submission(seed: 15)
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            _ = try await queue.claimOne()
            try await fixture.passTime()
            let taken = try #require(try await queue.takeOver())
            _ = try await queue.settle([taken.settling(0, .handedBack)])
            _ = try await queue.settle([try await queue.claimOne().burying()])
            #expect(try await queue.deadLetter(capture.id)?.deliveries == 2)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a dead letter can be put back at the end of its lane and says so`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 12)
            let device = maker.device()
            let (dead, later) = (maker.submission(of: device), maker.submission(of: device))
            _ = try await fixture.upload(dead)
            let queue = fixture.worker("a")
            _ = try await queue.settle([try await queue.claimOne().burying(.attemptsExhausted, fault: "gave up")])
            let letter = try #require(try await queue.deadLetters(after: nil, limit: 1).letters.first)
            #expect(letter.status.fault == "gave up" && letter.status.reason == .attemptsExhausted)
            #expect(try await queue.load().deadLetters == 1)
            _ = try await fixture.upload(later)
            #expect(try await queue.redrive(dead.id))
            #expect(try await queue.redrive(dead.id) == false)
            let again = try await queue.claimOne()
            #expect(again.ids == [later.id, dead.id])
            #expect(!again.isSuspect && again.deliveries == 1, "nobody went down with it")
            guard case .valid(let job) = again.jobs.last else {
                Issue.record("not a valid job")
                return
            }
            #expect(job.id == dead.id && job.isRedriven && job.attempts == 1)
            _ = try await queue.settle([again.settling()])
            let end = try #require(try await queue.status(of: [dead.id]).first ?? nil)
            #expect(end.state == .verified && end.isRedriven)
        }
    }

    @Test(arguments: ConformingQueue.allCases, [Reason.bundleMissing, .bundleCorrupt])
    func `a dead letter is put back by whoever brings the bytes that it has died for want of`(
        kind: ConformingQueue, reason: Reason
    ) async throws {
        try await kind.with { fixture in
            let capture = SubmissionMaker.submission(seed: 19)
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            _ = try await queue.settle([try await queue.claimOne().burying(reason, fault: "gone")])
            for _ in 0..<2 { #expect(try await fixture.upload(capture) == .accepted) }
            let isBack = reason == .bundleMissing
            let load = try await queue.load()
            #expect(load.captures == (isBack ? 1 : 0) && load.deadLetters == (isBack ? 0 : 1))
            let status = try #require(try await queue.status(of: [capture.id])[0])
            #expect(status.state == (isBack ? .queued : .failed) && status.isRedriven == isBack)
            #expect(try await queue.claimNow().flatMap(\.ids) == (isBack ? [capture.id] : []))
        }
    }

    @Test(arguments: ConformingQueue.allCases, [Reason.attemptsExhausted, .bundleCorrupt])
    func `a dead letter that is put back forgets its fault, unless its bytes are still the changed ones`(
        kind: ConformingQueue, reason: Reason
    ) async throws {
        try await kind.with { fixture in
            let capture = SubmissionMaker.submission(seed: 20)
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            _ = try await queue.settle([try await queue.claimOne().burying(reason, fault: "changed: 2")])
            #expect(try await queue.redrive(capture.id))
            let status = try #require(try await queue.status(of: [capture.id])[0])
            #expect(status.state == .queued && status.reason == nil && status.isRedriven)
            #expect(status.fault == (reason == .bundleCorrupt ? "changed: 2" : nil))
            #expect(status.attempts == 0 && status.claimedAt == nil && status.settledAt == nil)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `dead letters of one settlement keep the order of their lane`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 16)
            let device = maker.device()
            // By the ids of gateways whose clocks differ the last one is the first.
            let captures = (0..<4).map { _ in maker.submission(of: device) }.sorted {
                $1.id.description < $0.id.description
            }
            for capture in captures { _ = try await fixture.upload(capture) }
            let queue = fixture.worker("a")
            _ = try await queue.settle([try await queue.claimOne(captures: 9).burying()])
            let letters = try await queue.deadLetters(after: nil, limit: 9).letters
            #expect(letters.map(\.id) == captures.map(\.id))
            for letter in letters { #expect(try await queue.redrive(letter.id)) }
            var worked: [CaptureID] = []
            while let lease = try await queue.claimNow().first {
                worked += lease.ids
                _ = try await queue.settle([lease.settling()])
            }
            #expect(worked == captures.map(\.id))
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `pages of dead letters fit together, and the last one says so`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 15)
            let queue = fixture.worker("a")
            let captures = (0..<5).map { _ in maker.submission(of: maker.device()) }
            for capture in captures { _ = try await fixture.upload(capture) }
            for lease in try await queue.claimNow() { _ = try await queue.settle([lease.burying()]) }
            var (seen, position): ([CaptureID], DeadLetter.Position?) = ([], nil)
            repeat {
                let page = try await queue.deadLetters(after: position, limit: 2)
                seen += page.letters.map(\.id)
                position = page.next
            } while position != nil
            #expect(Set(seen) == Set(captures.map(\.id)) && seen.count == 5)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `the newest dead letters begin after the place that is told for them`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 17)
            let queue = fixture.worker("a")
            #expect(try await queue.deadLetterPlace(beforeNewest: 2) == nil)
            let captures = (0..<5).map { _ in maker.submission(of: maker.device()) }
            for capture in captures { _ = try await fixture.upload(capture) }
            for lease in try await queue.claimNow() { _ = try await queue.settle([lease.burying()]) }
            let letters = try await queue.deadLetters(after: nil, limit: 9).letters.map(\.position)
            for count in 1...6 {
                let place = try await queue.deadLetterPlace(beforeNewest: count)
                #expect((place == nil) == (count >= 5), "\(count)")
                let newest = try await queue.deadLetters(after: place, limit: 9).letters.map(\.position)
                #expect(newest == Array(letters.suffix(count)), "\(count)")
            }
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a discarded dead letter is gone, and its bundle may be sent again`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            let capture = SubmissionMaker.submission(seed: 13)
            _ = try await fixture.upload(capture)
            let queue = fixture.worker("a")
            #expect(try await !queue.discardLetter(of: capture.id), "it is not a dead letter")
            _ = try await queue.settle([try await queue.claimOne().burying()])
            let letter = try #require(try await queue.deadLetter(capture.id)).position
            let other = DeadLetter.Position(diedAt: letter.diedAt.advanced(by: .milliseconds(-1)), capture: capture.id)
            #expect(try await !queue.discard(other), "it was given up anew since")
            #expect(try await queue.discard(letter))
            #expect(try await queue.status(of: [capture.id]) == [nil])
            #expect(try await queue.deadLetters(after: nil, limit: 10).letters.isEmpty)
            #expect(try await fixture.upload(capture) == .accepted)
        }
    }
}
