import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The numbers that operators look at first after Redis has lost its data.
@Suite("Counts after a loss", .timeLimit(.minutes(2)))
struct CountsAfterLossTests {
    /// Otherwise there were more results than captures.
    @Test func `a capture that is put back counts as accepted then`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await queue.markRestored(1)
            var maker = SubmissionMaker(seed: 38)
            let device = maker.device()
            let captures = (0..<3).map { _ in maker.submission(of: device) }
            for capture in captures { try await fixture.upload(capture) }
            try await fixture.redis("FLUSHALL")
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(2))
            let lost = captures.map { LostCapture(submission: $0, isRedriven: false) }
            for _ in 0..<2 { _ = try await queue.restore(lost, in: 0, under: .numbered(2)) }
            _ = try await queue.finishRestoration(of: 0, mark: .numbered(2))
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            let overview = try await queue.overview()
            for tally in [overview.lastHour, overview.lastDay] {
                #expect((tally.accepted, tally.verified) == (3, 3), "the second call found all of them known")
            }
        }
    }

    @Test func `since when the counts are there is told for a day, and stays the same while no data are lost`()
        async throws
    {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            let key = RedisArgument.string("{\(fixture.keyspace.queue):0}:restored")
            #expect(try await queue.overview().countedSince == nil)
            try await queue.markRestored(1)
            let since = try #require(try await queue.overview().countedSince)
            // As at a restart of Redis, whose programs find their data again.
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(FunctionLibrary.current.source))
            try await queue.markRestored(2)
            #expect(try await queue.overview().countedSince == since)
            // Of long ago, and without a time, as after a change by hand.
            for earlier in ["restored:\(RestorationMark.numbered(2)):1000", "restored:\(RestorationMark.numbered(2))"] {
                try await fixture.redis("SET", key, .string(earlier))
                #expect(try await queue.restorations() == [.restored(.numbered(2))])
                #expect(try await queue.overview().countedSince == nil)
            }
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(FunctionLibrary.current.source))
            try await queue.markRestored(3)
            #expect(try await queue.overview().countedSince == nil)
            try await fixture.redis("FLUSHALL")
            try await queue.markRestored(4)
            #expect(try await queue.overview().countedSince != nil)
            // As where a queue gets a ledger later.
            try await fixture.redis("FLUSHALL")
            try await fixture.redis("HSET", .string("{\(fixture.keyspace.queue):0}:stats"), "accepted", 1)
            try await queue.markRestored(5)
            #expect(try await queue.overview().countedSince == nil)
        }
    }

    /// What partition 0 has counted before is among the numbers.
    @Test func `partitions that are added lose no counts, and a loss is told with several as well`() async throws {
        try await QueueFixture.withGatewaysOfLedger(partitions: 2) { fixture async throws in
            let queue = fixture.queue()
            let key = RedisArgument.string("{\(fixture.keyspace.queue):0}:restored")
            // Of long ago, and without a time, as where a queue got its ledger later.
            for (number, earlier) in [(1, "1000"), (2, "")] {
                try await fixture.redis("FLUSHALL")
                for partition in 0...1 { try await queue.markRestored(number, of: partition) }
                #expect(try await queue.overview().countedSince != nil)
                try await fixture.redis("SET", key, .string("restored:\(RestorationMark.numbered(number)):\(earlier):"))
                #expect(try await queue.overview().countedSince == nil, "\(earlier)")
            }
        }
    }
}
