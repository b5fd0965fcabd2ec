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
            for count in 0..<3 {
                let newest = try await queue.deadLetterPlace(beforeNewest: count)
                #expect(try await queue.deadLetters(after: newest, limit: 3).letters.count == count, "\(count)")
            }
            let places = try await queue.deadLetterPlaces(in: 0, after: nil, limit: 3)
            #expect(Set(places.map(\.capture)) == Set(seen))
            #expect(try await queue.deadLetterPlaces(in: 0, after: places.last, limit: 3).isEmpty)
            let letter = try #require(try await queue.deadLetter(id))
            #expect(DeadLetter.Position(letter.position.description) == letter.position)
            #expect(try await queue.discard(letter.position))
        }
    }

    /// They are listed in the order of their scores, which is not that of their places.
    @Test func `dead letters of one millisecond by hand end every list, and none before a later one`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 147)
            let queue = fixture.queue()
            let captures = (0..<4).map { _ in maker.submission(of: maker.device()) }
                .sorted { $1.id.description < $0.id.description }
            for capture in captures { try await fixture.upload(capture) }
            for lease in try await queue.claimNow() { _ = try await queue.settle([lease.burying()]) }
            for (time, capture) in zip(["1000.1", "1000.4", "1000.7"], captures) {
                let dead = RedisArgument.string(fixture.keyspace[0].dead)
                try await fixture.redis("ZADD", dead, .string(time), .string("\(capture.id)"))
            }
            for limit in 1...4 {
                var (pages, place, last): (Int, DeadLetter.Position?, CaptureID?) = (0, nil, nil)
                repeat {
                    let page = try await queue.deadLetters(after: place, limit: limit)
                    last = page.letters.last?.id ?? last
                    place = page.next
                    pages += 1
                } while place != nil && pages <= captures.count + 1
                #expect(place == nil && last == captures[3].id, "of \(limit)")
            }
        }
    }

    /// One call looks at ten thousand members at the most, so that it holds up nobody.
    @Test(arguments: [1, 3, 1_000])
    func `members that are no captures hide no dead letter, however many they are`(limit: Int) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 148)
            let queue = fixture.queue()
            let captures = (0..<3).map { _ in maker.submission(of: maker.device()) }
            for capture in captures { try await fixture.upload(capture) }
            for lease in try await queue.claimNow() { _ = try await queue.settle([lease.burying()]) }
            let dead = RedisArgument.string(fixture.keyspace[0].dead)
            try await fixture.redis("ZADD", dead, 2_000, .string("\(captures[0].id)"))
            for page in 0..<25 {
                // Before the first letter, at one time, and between the letters.
                let members = (0..<1_000).flatMap { index -> [RedisArgument] in
                    [.integer(page < 12 ? 1_000 : 2_000 + index), .string("junk\(page)-\(index)")]
                }
                _ = try await fixture.client.send(RedisCommand("ZADD", [dead] + members))
            }
            var (seen, place, pages): ([CaptureID], DeadLetter.Position?, Int) = ([], nil, 0)
            repeat {
                let page = try await queue.deadLetters(after: place, limit: limit)
                seen += page.letters.map(\.id)
                place = page.next
                pages += 1
            } while place != nil && pages <= captures.count + 1
            #expect(place == nil && seen.count == 3 && Set(seen) == Set(captures.map(\.id)))
            #expect(seen.first == captures[0].id)
            let first = try await queue.deadLetterPlaces(in: 0, after: nil, limit: 1)
            #expect(first.map(\.capture) == [captures[0].id])
            let rest = try await queue.deadLetterPlaces(in: 0, after: first.last, limit: 1_000)
            #expect(Set(rest.map(\.capture)) == Set(captures[1...].map(\.id)))
        }
    }

    @Test(arguments: ["999999999999998", "999999999999999", "1e300", "inf"])
    func `dead letters given up after one whose time is written over have times, and can be discarded`(
        time: String
    ) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 149)
            let queue = fixture.queue()
            let strange = RedisArgument.string("\(maker.submission(of: maker.device()).id)")
            try await fixture.redis("ZADD", .string(fixture.keyspace[0].dead), .string(time), strange)
            let device = maker.device()
            let captures = (0..<2).map { _ in maker.submission(of: device) }
            for capture in captures {
                try await fixture.upload(capture)
                _ = try await queue.settle([try await queue.claimOne().burying()])
            }
            for capture in captures {
                let letter = try #require(try await queue.deadLetter(capture.id))
                #expect(letter.diedAt.millisecondsSince1970 <= 999_999_999_999_999)
                #expect(try await queue.discard(letter.position))
            }
        }
    }

    /// Nobody would know which was given up first.
    @Test(arguments: ["999999999999999", "1e300", "inf"])
    func `a time at the end of all times or beyond is not the last one`(time: String) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 150)
            let queue = fixture.queue()
            let strange = RedisArgument.string("\(maker.submission(of: maker.device()).id)")
            try await fixture.redis("ZADD", .string(fixture.keyspace[0].dead), .string(time), strange)
            let device = maker.device()
            // In the order of their ids they would be listed the other way round.
            let captures = (0..<2).map { _ in maker.submission(of: device) }
                .sorted { $1.id.description < $0.id.description }
            for capture in captures { try await fixture.upload(capture) }
            _ = try await queue.settle([try await queue.claimOne(captures: 2).burying()])
            var letters: [DeadLetter] = []
            for capture in captures { letters.append(try #require(try await queue.deadLetter(capture.id))) }
            #expect(letters[0].diedAt < letters[1].diedAt)
            #expect(letters[1].diedAt.millisecondsSince1970 < 10_000_000_000_000)
        }
    }

    @Test func `a fault that somebody has made long is told and shown in part`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 151)
            let (queue, keys) = (fixture.queue(), fixture.keyspace[0])
            let capture = maker.submission(of: maker.device())
            try await fixture.upload(capture)
            _ = try await queue.settle([try await queue.claimOne().burying()])
            let long = String(repeating: "x", count: 1 << 20)
            try await fixture.redis("HSET", .string(keys.job(capture.id)), "fault", .string(long))
            let reply = try await fixture.redis(
                "FCALL", "capture_dead_letter_v1", 1, .string(keys.ready), .string("\(capture.id)"))
            let told = try #require(reply.array).compactMap { $0.string?.utf8.count }
            #expect(told.max() == (4 << 10) + 1)
            let letter = try #require(try await queue.deadLetters(after: nil, limit: 1).letters.first)
            #expect(letter.status.fault == String(repeating: "x", count: 4 << 10) + "…")
        }
    }
}
