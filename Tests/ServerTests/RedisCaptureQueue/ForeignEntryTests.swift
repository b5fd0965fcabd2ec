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
    private func expectNothing(_ fixture: QueueFixture) async throws {
        #expect(try await fixture.redis("XLEN", .string(fixture.keyspace[0].ready)).int == 0)
        let load = try await fixture.queue().load()
        #expect(load.readyLanes == 0 && load.leasedLanes == 0 && load.oldestLaneAge == nil)
    }

    @Test func `go when they are claimed`() async throws {
        try await QueueFixture.with { fixture in
            try await fixture.redis("XADD", .string(fixture.keyspace[0].ready), "*", "what", "ever")
            #expect(try await fixture.queue().load().readyLanes == 1)
            #expect(try await fixture.queue().claimNow().isEmpty)
            try await expectNothing(fixture)
        }
    }

    @Test func `go when they are taken over`() async throws {
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
}
