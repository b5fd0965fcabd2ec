import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Challenges, rate limits and pauses on a real server; what stands for the first two in memory does the same.
@Suite(.timeLimit(.minutes(2)))
struct SharedStoresTests {
    @Test(arguments: ConformingSharedStores.allCases)
    func `a challenge is good once`(_ stores: ConformingSharedStores) async throws {
        try await stores.with { stores in
            let store = stores.challenges
            let challenge = (0..<32).map { UInt8($0 * 8 % 251) }
            #expect(try await store.consume(challenge) == false)
            try await store.issue(challenge, lifetime: .seconds(300))
            async let first = store.consume(challenge)
            async let second = store.consume(challenge)
            #expect(try await [first, second].count { $0 } == 1)
            #expect(try await store.consume(challenge) == false)
        }
    }

    @Test func `a challenge that nobody presents expires`() async throws {
        try await QueueFixture.with { fixture in
            let prefix = "challenge:\(fixture.keyspace.queue):"
            let store = RedisChallengeStore(client: fixture.client, prefix: prefix)
            try await store.issue([0xFB, 0xFF], lifetime: .seconds(300))
            // Base64url of FB FF, without padding.
            let lifetime = try await fixture.redis("PTTL", .string(prefix + "-_8")).int
            #expect(lifetime.map { (250_000...300_000).contains($0) } == true)
            #expect(try await store.consume([]) == false)
            #expect(try await store.consume([UInt8](repeating: 0, count: 257)) == false)
        }
    }

    /// Dead letters may fill the server, and the operator who is to discard them must still be able to log in.
    @Test func `a server that is full still takes logins and a pause`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
            let limiter = RedisRateLimiter(client: fixture.client, logger: fixture.logger)
            #expect(try await limiter.admit("login:192.0.2.1", limit: 1, window: .seconds(60)) == .allowed)
            #expect(try await limiter.admit("login:192.0.2.1", limit: 1, window: .seconds(60)) != .allowed)
            // Anybody could fill it further.
            let fault = await #expect(throws: QueueError.self) {
                try await limiter.admit("challenge:192.0.2.1", limit: 1, window: .seconds(60))
            }
            #expect(fault?.isTransient == true)
            #expect(try await fixture.redis("EXISTS", "rate:challenge:192.0.2.1").int == 0)
            let sessions = RedisSessionStore(client: fixture.client, logger: fixture.logger)
            let key = SHA256Digest.hash(Array("session".utf8))
            let end = Timestamp(millisecondsSince1970: 1_780_000_028_800)
            let session = LoginSession(proof: [1, 255], end: end, name: "alice a")
            try await sessions.begin(session, as: key, lifetime: .seconds(60))
            #expect(try await sessions.session(key) == session)
            let lifetime = try await fixture.redis("PTTL", .string("session:\(key.hex)")).int
            #expect(lifetime.map { (10_000...60_000).contains($0) } == true)
            try await sessions.end(key)
            #expect(try await sessions.session(key) == nil)
            let queue = fixture.queue()
            try await queue.setPaused(since: Timestamp.systemTime())
            #expect(try await queue.load().isPaused)
            try await queue.setPaused(since: nil)
            #expect(try await !queue.load().isPaused)
        }
    }

    @Test func `a clock that is set back keeps no client out`() async throws {
        try await QueueFixture.with { fixture in
            let prefix = "rate:\(fixture.keyspace.queue):"
            let limiter = RedisRateLimiter(client: fixture.client, prefix: prefix, logger: fixture.logger)
            let now = try #require(try await fixture.redis("TIME").array?.first?.int)
            let ahead = RedisArgument.integer((now + 3_600) * 1000)
            try await fixture.redis("RPUSH", .string(prefix + "address"), ahead, ahead)
            for _ in 1...2 {
                #expect(try await limiter.admit("address", limit: 2, window: .seconds(60)) == .allowed)
            }
            #expect(try await limiter.admit("address", limit: 2, window: .seconds(60)) != .allowed)
        }
    }

    /// As while a release is rolled out: the newer library does not fit in.
    @Test func `a pause and a resume need no function`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            try await fixture.redis("FUNCTION", "FLUSH")
            let queue = fixture.queue()
            let moment = Timestamp(microsecondsSince1970: 1_790_000_000_000_001)
            try await queue.setPaused(since: moment)
            #expect(try await queue.pausedSince() == [moment])
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
            try await queue.setPaused(since: nil)
            #expect(try await fixture.redis("EXISTS", .string(fixture.keyspace[0].paused)).int == 0)
            #expect(try await fixture.redis("FUNCTION", "LIST").array?.isEmpty == true)
        }
    }

    @Test(arguments: ConformingSharedStores.allCases)
    func `no window holds more requests than the limit, whoever counts`(_ stores: ConformingSharedStores) async throws {
        try await stores.with { stores in
            let (limiters, client) = (stores.limiters, "192.0.2.1")
            // Longer than a busy machine takes for the requests.
            let window = Duration.seconds(3_600)
            for index in 0..<10 {
                #expect(try await limiters[index % 2].admit(client, limit: 10, window: window) == .allowed)
            }
            guard case .limited(let retryAfter) = try await limiters[0].admit(client, limit: 10, window: window) else {
                Issue.record("the eleventh was admitted")
                return
            }
            #expect(retryAfter > .seconds(3_000) && retryAfter <= window)
            #expect(try await limiters[0].admit("192.0.2.2", limit: 10, window: window) == .allowed)
            // One more is admitted, and only one.
            try await stores.ageOldest(client)
            #expect(try await limiters[0].admit(client, limit: 10, window: window) == .allowed)
            #expect(try await limiters[0].admit(client, limit: 10, window: window) != .allowed)
        }
    }

    @Test(arguments: ConformingSharedStores.allCases)
    func `what must not come again is remembered for all`(_ stores: ConformingSharedStores) async throws {
        try await stores.with { stores in
            let limiters = stores.limiters
            let digest = SHA256Digest.hash([1])
            let first = try await limiters[0].remember(digest, for: .seconds(3_600))
            let again = try await limiters[1].remember(digest, for: .seconds(3_600))
            let other = try await limiters[1].remember(.hash([2]), for: .seconds(3_600))
            #expect(first && !again && other)
        }
    }

    @Test func `what must not come again is forgotten at the end of the window`() async throws {
        try await QueueFixture.with { fixture in
            let prefix = "rate:\(fixture.keyspace.queue):"
            let limiter = RedisRateLimiter(client: fixture.client, prefix: prefix, logger: fixture.logger)
            let digest = SHA256Digest.hash([1])
            #expect(try await limiter.remember(digest, for: .seconds(60)))
            #expect(try await !limiter.remember(digest, for: .seconds(600)))
            let lifetime = try await fixture.redis("PTTL", .string("\(prefix)replay:\(digest.hex)")).int
            #expect(lifetime.map { (10_000...60_000).contains($0) } == true)
        }
        let time = ManualTime()
        let limiter = MemoryRateLimiter(time: time.source)
        #expect(try await limiter.remember(.hash([1]), for: .seconds(60)))
        time.advance(by: .seconds(59))
        #expect(try await !limiter.remember(.hash([1]), for: .seconds(60)))
        time.advance(by: .seconds(1))
        #expect(try await limiter.remember(.hash([1]), for: .seconds(60)))
    }

    /// A request that was answered could be sent again otherwise.
    @Test func `a clock that is set back forgets nothing that must not come again`() async throws {
        try await QueueFixture.with { fixture in
            let prefix = "rate:\(fixture.keyspace.queue):"
            let limiter = RedisRateLimiter(client: fixture.client, prefix: prefix, logger: fixture.logger)
            let digest = SHA256Digest.hash([1])
            let now = try #require(try await fixture.redis("TIME").array?.first?.int)
            // As gateways of an earlier release, which may run beside, remember it: here an hour ahead of the clock.
            let key = RedisArgument.string("\(prefix)replay:\(digest.hex)")
            try await fixture.redis("RPUSH", key, .integer((now + 3_600) * 1000))
            for _ in 1...2 { #expect(try await !limiter.remember(digest, for: .seconds(60))) }
        }
        let time = ManualTime()
        let limiter = MemoryRateLimiter(time: time.source)
        #expect(try await limiter.remember(.hash([1]), for: .seconds(60)))
        time.advance(by: .seconds(-3_600))
        #expect(try await !limiter.remember(.hash([1]), for: .seconds(60)))
    }
}
