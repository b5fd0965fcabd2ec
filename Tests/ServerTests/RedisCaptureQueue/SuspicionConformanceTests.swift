import CaptureModel
import CaptureQueue
import TestSupport
import Testing

@Suite("Whatever queue there is, what is suspected of a capture", .timeLimit(.minutes(1)))
struct SuspicionConformanceTests {
    @Test(arguments: ConformingQueue.allCases)
    func `what is suspected of a capture lets it be worked with its like once, and then alone`(kind: ConformingQueue)
        async throws
    {
        try await kind.with(deliveriesMax: 3) { fixture in
            var maker = SubmissionMaker(seed: 70)
            let device = maker.device()
            let captures = (0..<4).map { _ in maker.submission(of: device) }
            for capture in captures { _ = try await fixture.upload(capture) }
            let queue = fixture.worker("b")
            #expect(try await fixture.worker("a").claimOne(captures: 3).suspicion == .clear)
            try await fixture.passTime()
            let head = try #require(try await queue.takeOver())
            #expect(head.ids == [captures[0].id] && head.suspicion == .slight)
            #expect(try await queue.settle([head.settling()]) == [.settled])

            let rest = try await queue.claimOne()
            #expect(rest.ids == captures[1...2].map(\.id), "and without what nobody had in hands")
            #expect(rest.suspicion == .slight && rest.deliveries == 1)
            try await fixture.passTime()
            let again = try #require(try await fixture.worker("c").takeOver())
            #expect(again.ids == [captures[1].id] && again.suspicion == .grave)
            let other = fixture.worker("c")
            #expect(try await other.settle([again.settling(0, .handedBack)]) == [.settled])
            for capture in captures[1...2] {
                let alone = try await other.claimOne()
                #expect(alone.ids == [capture.id] && alone.suspicion == .grave)
                #expect(try await other.settle([alone.settling()]) == [.settled])
            }
            let last = try await other.claimOne()
            #expect(last.ids == [captures[3].id] && last.suspicion == .clear)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `what is suspected of a capture is grave at once where there is no third delivery`(kind: ConformingQueue)
        async throws
    {
        try await kind.with(deliveriesMax: 2) { fixture in
            var maker = SubmissionMaker(seed: 71)
            let device = maker.device()
            for _ in 0..<2 { _ = try await fixture.upload(maker.submission(of: device)) }
            let queue = fixture.worker("b")
            _ = try await fixture.worker("a").claimOne()
            try await fixture.passTime()
            let head = try #require(try await queue.takeOver())
            #expect(head.suspicion == .grave)
            #expect(try await queue.settle([head.settling()]) == [.settled])
            #expect(try await queue.claimOne().suspicion == .grave)
        }
    }

    /// If one of them ends the next worker as well, all of them are worked alone after that.
    @Test(arguments: ConformingQueue.allCases)
    func `what is suspected of more than sixteen captures of a lane lets sixteen of them be worked together`(
        kind: ConformingQueue
    ) async throws {
        try await kind.with(deliveriesMax: 3) { fixture in
            var maker = SubmissionMaker(seed: 72)
            let device = maker.device()
            for _ in 0..<18 { _ = try await fixture.upload(maker.submission(of: device)) }
            let queue = fixture.worker("b")
            #expect(try await fixture.worker("a").claimOne(captures: 18).ids.count == 18)
            try await fixture.passTime()
            let head = try #require(try await queue.takeOver())
            #expect(try await queue.settle([head.settling()]) == [.settled])
            for count in [16, 1] {
                let lease = try await queue.claimOne(captures: 18)
                #expect(lease.ids.count == count && lease.suspicion == .slight)
                #expect(try await queue.settle([lease.settling()]) == [.settled])
            }
        }
    }
}
