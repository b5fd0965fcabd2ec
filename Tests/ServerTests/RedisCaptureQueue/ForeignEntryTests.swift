import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Entries of the stream of tokens that are none, as somebody adds them by hand.
///
/// One that stays for ever would be a lane that is ready, and the oldest of the queue.
@Suite("Entries that name no device", .timeLimit(.minutes(1)))
struct ForeignEntryTests {
    private func expectNothing(_ fixture: QueueFixture, sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        #expect(
            try await fixture.redis("XLEN", .string(fixture.keyspace[0].ready)).int == 0, sourceLocation: sourceLocation
        )
        let load = try await fixture.queue().load()
        #expect(
            load.readyLanes == 0 && load.leasedLanes == 0 && load.oldestLaneAge == nil, sourceLocation: sourceLocation)
    }

    @Test func `entries that name no device go when they are claimed`() async throws {
        try await QueueFixture.with { fixture in
            try await fixture.redis("XADD", .string(fixture.keyspace[0].ready), "*", "what", "ever")
            #expect(try await fixture.queue().load().readyLanes == 1)
            #expect(try await fixture.queue().claimNow().isEmpty)
            try await expectNothing(fixture)
        }
    }

    @Test func `entries that name no device go when they are taken over`() async throws {
        try await QueueFixture.with { fixture in
            let ready = RedisArgument.string(fixture.keyspace[0].ready)
            try await fixture.redis("XADD", ready, "*", "what", "ever")
            try await fixture.redis("XGROUP", "CREATE", ready, "workers", "0")
            try await fixture.redis("XREADGROUP", "GROUP", "workers", "lost", "COUNT", 1, "STREAMS", ready, ">")
            try await fixture.passTime()
            #expect(try await fixture.queue().takeOver() == nil)
            try await expectNothing(fixture)
        }
    }

    /// An entry that is no capture's id could never be settled, and would keep its lane for ever.
    @Test(arguments: [true, false])
    func `entries of a lane that name no device go when they are at its head, and its captures are worked`(
        isTakenOver: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 1)
            let device = maker.device()
            let capture = maker.submission(of: device)
            try await fixture.upload(capture)
            if isTakenOver {
                _ = try await fixture.queue("lost").claimOne()
                try await fixture.passTime()
            }
            let lane = RedisArgument.string(fixture.keyspace[0].lane(device))
            try await fixture.redis("LPUSH", lane, "what\"ever", "else")
            try await fixture.redis("RPUSH", lane, "last")
            let recorder = LogRecorder()
            let queue = fixture.queue(logger: recorder.logger)
            let found = isTakenOver ? try await queue.takeOver() : try await queue.claimOne()
            let lease = try #require(found)
            #expect(lease.ids == [capture.id])
            let alarm = "a lane held something that is not a capture's id, and it was removed"
            #expect(recorder.lines.count { $0.contains(alarm) } == 2)
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            #expect(try await queue.claimNow().isEmpty, "the last one goes, and the lane with it")
            try await expectNothing(fixture)
        }
    }

    /// Redis cannot end a function that has written: it would stand still until all of them are gone.
    @Test(arguments: [true, false])
    func `entries of a lane that name no device go a hundred at a time, and the next claim has the captures`(
        isTakenOver: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 2)
            try await fixture.upload(capture)
            if isTakenOver {
                _ = try await fixture.queue("lost").claimOne()
                try await fixture.passTime()
            }
            let lane = fixture.keyspace[0].lane(capture.device)
            let entries = (0...100).map { RedisArgument.string("entry \($0)") }
            _ = try await fixture.client.send(RedisCommand("LPUSH", [.string(lane)] + entries))
            let queue = fixture.queue()
            let first = isTakenOver ? try await queue.takeOver() : try await queue.claimNow().first
            #expect(first == nil)
            #expect(try await fixture.redis("LLEN", .string(lane)).int == 2)
            let findings = try await QueueDoctor(queue: queue).examine().findings
            #expect(findings.map(\.fault) == [.laneEntryWithoutCapture], "the lane has its token")
            let lease = try await queue.claimOne()
            #expect(lease.ids == [capture.id])
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            try await expectNothing(fixture)
        }
    }
}
