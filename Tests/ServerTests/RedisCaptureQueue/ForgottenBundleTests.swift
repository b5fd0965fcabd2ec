import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A bundle is forgotten where it leads to nothing, and nowhere else", .timeLimit(.minutes(2)))
struct ForgottenBundleTests {
    @Test(arguments: ConformingQueue.allCases)
    func `the bundle of a capture which is known stays known`(kind: ConformingQueue) async throws {
        try await kind.with { fixture in
            var maker = SubmissionMaker(seed: 1)
            let capture = maker.submission(of: maker.device())
            #expect(try await fixture.upload(capture) == .accepted)
            let queue = fixture.worker("a")
            func forgets(_ id: CaptureID) async throws -> Bool {
                try await queue.forget(capture.bundleDigest, of: capture.device, acceptedAs: id)
            }
            let other = maker.submission(of: capture.device)
            #expect(try await !forgets(capture.id), "it waits")
            #expect(try await !forgets(other.id), "it leads to another")
            _ = try await queue.settle([try await queue.claimOne().settling()])
            #expect(try await !forgets(capture.id), "it was settled not long ago")
            let again = maker.submission(of: capture.device, digest: capture.bundleDigest)
            #expect(try await fixture.upload(again) == .duplicate(of: capture.id))
        }
    }

    /// As after a flush: a gateway without a ledger took it anew, and the capture of before was put back.
    @Test func `a bundle is known as another capture when one of it is discarded`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 3)
            let capture = maker.submission(of: maker.device())
            let other = maker.submission(of: maker.device(), digest: capture.bundleDigest)
            try await fixture.upload(capture)
            let queue = fixture.queue()
            let lease = try await queue.claimOne()
            let dead = LaneSettlement.Item(id: capture.id, disposition: .dead(.internal, fault: "test"))
            _ = try await queue.settle([
                LaneSettlement(token: lease.token, device: lease.device, items: [dead], continuation: .ready)
            ])
            let known = fixture.keyspace.partition(of: capture.device).accepted(capture.bundleDigest)
            try await fixture.redis("SET", .string(known), .string(other.id.description))
            #expect(try await queue.discardLetter(of: capture.id))
            #expect(try await fixture.redis("GET", .string(known)).string == other.id.description)
        }
    }

    @Test func `the bundle of a settled capture whose status is gone is forgotten once, and new then`() async throws {
        try await QueueFixture.with(partitions: 4) { fixture in
            var maker = SubmissionMaker(seed: 2)
            let capture = maker.submission(of: maker.device())
            let queue = fixture.queue()
            func forgets(_ id: CaptureID) async throws -> Bool {
                try await queue.forget(capture.bundleDigest, of: capture.device, acceptedAs: id)
            }
            try await fixture.upload(capture)
            _ = try await queue.settle([try await queue.claimOne().settling()])
            try await fixture.redis("DEL", .string(fixture.keyspace.partition(of: capture.device).settled(capture.id)))
            let again = maker.submission(of: capture.device, digest: capture.bundleDigest)
            #expect(try await fixture.upload(again) == .duplicate(of: capture.id))
            #expect(try await !forgets(again.id), "it leads to the other")
            #expect(try await forgets(capture.id))
            #expect(try await !forgets(capture.id))
            #expect(try await fixture.upload(again) == .accepted)
        }
    }
}
