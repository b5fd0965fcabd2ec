import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The stream of tokens is gone while the lanes are there, as after a `DEL` by hand.
@Suite("Tokens that are lost with their stream", .timeLimit(.minutes(2)))
struct LostTokensTests {
    private func uploads(_ count: Int, _ maker: inout SubmissionMaker) -> [CaptureSubmission] {
        let device = maker.device()
        return (0..<count).map { _ in maker.submission(of: device) }
    }

    /// A stream that an upload makes anew has no group, and looks like one that no worker has read yet.
    @Test(arguments: [false, true])
    func `lost tokens come back with the first claim, whether an upload makes the stream before or not`(
        isUploadedBefore: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 91)
            let queue = fixture.queue()
            var captures = uploads(3, &maker) + uploads(3, &maker)
            for capture in captures { try await fixture.upload(capture) }
            try await fixture.redis("DEL", .string(fixture.keyspace[0].ready))
            if isUploadedBefore {
                let later = uploads(1, &maker)
                try await fixture.upload(later[0])
                captures += later
                #expect(try await queue.promote() == 2)
            }
            let leases = try await queue.claimNow()
            #expect(leases.count == (isUploadedBefore ? 3 : 2))
            #expect(Set(leases.flatMap(\.ids)) == Set(captures.map(\.id)))
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    @Test func `lost tokens come back to lanes that are not put off only`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 92)
            let queue = fixture.queue()
            let (delayed, waiting) = (uploads(1, &maker)[0], uploads(1, &maker)[0])
            try await fixture.upload(delayed)
            let lease = try await queue.claimOne()
            let putOff = LaneSettlement(
                token: lease.token, device: lease.device, items: [],
                continuation: .delayed(.seconds(600), fault: "away"))
            #expect(try await queue.settle([putOff]) == [.settled])
            try await fixture.upload(waiting)
            try await fixture.redis("DEL", .string(fixture.keyspace[0].ready))
            #expect(try await queue.claimNow().flatMap(\.ids) == [waiting.id])
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    @Test func `lost tokens come back once to a lane that was put off until now`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 94)
            let queue = fixture.queue()
            try await fixture.upload(uploads(1, &maker)[0])
            let putOff = try await queue.claimOne().settling(0, .delayed(.seconds(600), fault: "away"))
            #expect(try await queue.settle([putOff]) == [.settled])
            try await fixture.passTime()
            try await fixture.redis("DEL", .string(fixture.keyspace[0].ready))
            #expect(try await queue.promote() == 1)
            let load = try await queue.load()
            #expect(load.readyLanes == 1 && load.delayedLanes == 0)
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    @Test func `lost tokens beyond what one claim gives back come with the next promotions`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 93)
            let queue = fixture.queue()
            for _ in 0..<1_100 { try await fixture.upload(maker.submission(of: maker.device())) }
            try await fixture.redis("DEL", .string(fixture.keyspace[0].ready))
            #expect(try await queue.claimNow(1).count == 1)
            let load = try await queue.load()
            #expect(load.readyLanes == 999 && load.leasedLanes == 1 && load.delayedLanes == 100)
            #expect(try await queue.promote() == 100)
            #expect(try await queue.load().readyLanes == 1_099)
        }
    }
}
