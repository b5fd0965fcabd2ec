import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Scores of the list of dead letters as somebody has written them by hand.
@Suite("A dead letter whose time is written over", .timeLimit(.minutes(2)))
struct DeadLetterPlaceTests {
    @Test(arguments: ["1000.4", "1000.5", "-5", "-inf", "inf", "1e300"])
    func `a dead letter whose time is written over is listed once, page by page, and can be discarded`(
        time: String
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 146)
            let queue = fixture.queue()
            let captures = (0..<3).map { _ in maker.submission(of: maker.device()) }
            for capture in captures { try await fixture.upload(capture) }
            for lease in try await queue.claimNow() { _ = try await queue.settle([lease.burying()]) }
            let id = captures[1].id
            try await fixture.redis("ZADD", .string(fixture.keyspace[0].dead), .string(time), .string("\(id)"))
            var (seen, place): ([CaptureID], DeadLetter.Position?) = ([], nil)
            repeat {
                let page = try await queue.deadLetters(after: place, limit: 1)
                seen += page.letters.map(\.id)
                place = page.next
            } while place != nil && seen.count <= captures.count
            #expect(seen.count == 3 && Set(seen) == Set(captures.map(\.id)))
            let deaths = try await queue.deaths(in: 0, after: nil, limit: 3)
            #expect(Set(deaths.map(\.capture)) == Set(seen))
            #expect(try await queue.deaths(in: 0, after: deaths.last, limit: 3).isEmpty)
            let letter = try #require(try await queue.deadLetter(id))
            #expect(DeadLetter.Position(letter.position.description) == letter.position)
            #expect(try await queue.discard(letter.position))
        }
    }

    /// They are listed in the order of their scores, which is not that of their places.
    @Test func `dead letters whose times are written over within one millisecond end every list`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 147)
            let queue = fixture.queue()
            let captures = (0..<3).map { _ in maker.submission(of: maker.device()) }
                .sorted { $1.id.description < $0.id.description }
            for capture in captures { try await fixture.upload(capture) }
            for lease in try await queue.claimNow() { _ = try await queue.settle([lease.burying()]) }
            for (time, capture) in zip(["1000.1", "1000.4", "1000.7"], captures) {
                let dead = RedisArgument.string(fixture.keyspace[0].dead)
                try await fixture.redis("ZADD", dead, .string(time), .string("\(capture.id)"))
            }
            for limit in 1...3 {
                var (pages, place): (Int, DeadLetter.Position?) = (0, nil)
                repeat {
                    place = try await queue.deadLetters(after: place, limit: limit).next
                    pages += 1
                } while place != nil && pages <= captures.count + 1
                #expect(place == nil, "of \(limit)")
            }
        }
    }
}
