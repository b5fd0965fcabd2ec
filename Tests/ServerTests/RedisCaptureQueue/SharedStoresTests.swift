import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Challenges, rate limits and state changes on a real server; what stands for the first two in memory does the same.
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
            #expect(lifetime.map { (1...300_000).contains($0) } == true)
            #expect(try await store.consume([]) == false)
            #expect(try await store.consume([UInt8](repeating: 0, count: 257)) == false)
        }
    }

    /// Dead letters may fill the server, and the operator who is to discard them must still be able to log in.
    @Test func `a server that is full still takes logins and a pause`() async throws {
        let server = try await PrivateRedis.start()
        try await QueueFixture.with(server) { fixture in
            try await server.cli("CONFIG", "SET", "maxmemory", "1")
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
            let session = LoginSession(token: SHA256Digest.hash(Array("token".utf8)), name: "alice a")
            try await sessions.begin(session, as: key, lifetime: .seconds(60))
            #expect(try await sessions.session(key) == session)
            let lifetime = try await fixture.redis("PTTL", .string("session:\(key.hex)")).int
            #expect(lifetime.map { (1...60_000).contains($0) } == true)
            try await sessions.end(key)
            #expect(try await sessions.session(key) == nil)
            let queue = fixture.queue()
            try await queue.setPaused(true)
            #expect(try await queue.load().isPaused)
            try await queue.setPaused(false)
            #expect(try await !queue.load().isPaused)
        }
        try await server.stop()
    }

    /// As while a release is rolled out: the newer library does not fit in.
    @Test func `a pause and a resume need no function`() async throws {
        let server = try await PrivateRedis.start()
        try await QueueFixture.with(server) { fixture in
            try await fixture.redis("FUNCTION", "FLUSH")
            let queue = fixture.queue()
            try await queue.setPaused(true)
            #expect(try await fixture.redis("EXISTS", .string(fixture.keyspace[0].paused)).int == 1)
            try await server.cli("CONFIG", "SET", "maxmemory", "1")
            try await queue.setPaused(false)
            #expect(try await fixture.redis("EXISTS", .string(fixture.keyspace[0].paused)).int == 0)
            #expect(try await fixture.redis("FUNCTION", "LIST").array?.isEmpty == true)
        }
        try await server.stop()
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

    @Test func `what must not come again is remembered for all`() async throws {
        try await QueueFixture.with { fixture in
            let prefix = "rate:\(fixture.keyspace.queue):"
            let limiters = (0..<2).map { _ in
                RedisRateLimiter(client: fixture.client, prefix: prefix, logger: fixture.logger)
            }
            let digest = SHA256Digest.hash([1])
            let first = try await limiters[0].remember(digest, for: .seconds(60))
            let again = try await limiters[1].remember(digest, for: .seconds(60))
            let other = try await limiters[1].remember(.hash([2]), for: .seconds(60))
            #expect(first && !again && other)
            // Gateways of earlier releases look for it under this name.
            let length = try await fixture.redis("LLEN", .string("\(prefix)replay:\(digest.hex)")).int
            #expect(length == 1)
        }
    }

    /// Runs a body while changes are heard.
    private func hearing(_ changes: RedisStateChanges, _ body: () async throws -> Void) async throws {
        let early = try #require(changes.allChanges())
        let running = Task { try await changes.run() }
        defer { running.cancel() }
        // It ends with the subscription.
        for await _ in early {}
        try await body()
        running.cancel()
        try await running.value
    }

    @Test func `watchers hear of a capture that was given up and discarded`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 2)
            let capture = maker.submission(of: maker.device())
            let changes = RedisStateChanges(
                client: fixture.client, keyspace: fixture.keyspace, watchersMax: 1, logger: fixture.logger)
            try await hearing(changes) {
                let all = try #require(changes.allChanges())
                try await fixture.upload(capture)
                let queue = fixture.queue()
                _ = try await queue.settle([try await queue.claimOne().burying()])
                #expect(try await queue.discardLetter(of: capture.id))
                var heard = all.makeAsyncIterator()
                for news: StateChange.News in [.state(.queued), .state(.processing), .state(.failed), .discarded] {
                    #expect(
                        await heard.next() == StateChange(capture: capture.id, device: capture.device, news: news))
                }
            }
        }
    }

    @Test func `watchers hear of their capture and of all`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 1)
            let capture = maker.submission(of: maker.device())
            let changes = RedisStateChanges(
                client: fixture.client, keyspace: fixture.keyspace, watchersMax: 1, logger: fixture.logger)
            let early = try #require(changes.changes(of: capture.id))
            let running = Task { try await changes.run() }
            for await _ in early {}
            let one = try #require(changes.changes(of: capture.id))
            let all = try #require(changes.allChanges())
            #expect(changes.changes(of: capture.id) == nil, "one watcher of a capture is the most here")
            try await fixture.upload(maker.submission(of: maker.device()))
            try await fixture.upload(capture)
            var heard = one.makeAsyncIterator()
            #expect(await heard.next() == StateChange(capture: capture.id, device: capture.device, state: .queued))
            var heardAll = all.makeAsyncIterator()
            #expect(await heardAll.next()?.capture != capture.id)
            #expect(await heardAll.next()?.capture == capture.id)
            _ = try await fixture.queue().claimNow()
            #expect(await heard.next()?.state == .processing)
            running.cancel()
            try await running.value
            #expect(await heard.next() == nil)
        }
    }

    /// A message of more changes than its reader takes is passed over as a whole.
    @Test func `everything that one call changes is heard, however much it is`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 2)
            for _ in 0..<256 { try await fixture.upload(maker.submission(of: maker.device())) }
            let changes = RedisStateChanges(client: fixture.client, keyspace: fixture.keyspace, logger: fixture.logger)
            try await hearing(changes) {
                let all = try #require(changes.allChanges())
                #expect(try await fixture.queue().claimNow(256, captures: 1).count == 256)
                let last = maker.submission(of: maker.device())
                try await fixture.upload(last)
                var heard: [CaptureState?] = []
                for await change in all {
                    if change.capture == last.id { break }
                    heard.append(change.state)
                }
                #expect(heard == [CaptureState](repeating: .processing, count: 256))
            }
        }
    }

    @Test func `who waited while nothing was heard is told to look again`() async throws {
        let server = try await PrivateRedis.start()
        try await QueueFixture.with(server) { fixture in
            var maker = SubmissionMaker(seed: 1)
            let capture = maker.submission(of: maker.device())
            let changes = RedisStateChanges(client: fixture.client, keyspace: fixture.keyspace, logger: fixture.logger)
            try await hearing(changes) {
                let waiting = try #require(changes.changes(of: capture.id))
                let all = try #require(changes.allChanges())
                try await server.kill()
                try await server.restart()
                for await _ in waiting { Issue.record("there was no change") }
                for await _ in all { Issue.record("there was no change") }
            }
        }
        try await server.stop()
    }

    @Test func `who listens to all and is slower than changes come is told that some are missing`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 1)
            let captures = (0..<3).map { _ in maker.submission(of: maker.device()) }
            let changes = RedisStateChanges(
                client: fixture.client, keyspace: fixture.keyspace, bufferMax: 2, logger: fixture.logger)
            try await hearing(changes) {
                let slow = try #require(changes.allChanges())
                let last = try #require(changes.changes(of: captures[2].id))
                for capture in captures { try await fixture.upload(capture) }
                var heard = last.makeAsyncIterator()
                #expect(await heard.next()?.state == .queued)
                var kept: [CaptureID] = []
                for await change in slow { kept.append(change.capture) }
                #expect(kept == captures.dropFirst().map(\.id))
            }
        }
    }

    @Test func `who waited while more came than was listened to is told to look again`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) {
            $0.subscriptionBufferMax = 1
        } _: { redis in
            var maker = SubmissionMaker(seed: 1)
            let capture = maker.submission(of: maker.device())
            let changes = RedisStateChanges(client: redis, logger: .quiet)
            try await hearing(changes) {
                let waiting = try #require(changes.changes(of: capture.id))
                let channel = RedisArgument.string(Keyspace.standard[0].events)
                // Thousands in one write: there is no listener so quick that one place is enough for them.
                let burst: RedisArgument = "for _ = 1, 10000 do redis.call('PUBLISH', ARGV[1], '[]') end"
                _ = try await redis.send(RedisCommand("EVAL", [burst, 0, channel]))
                let names = "\"capture\":\"\(capture.id)\",\"device\":\"\(capture.device)\""
                let change = "[{\(names),\"state\":\"queued\"}]"
                _ = try await redis.send(RedisCommand("PUBLISH", [channel, .string(change)]))
                var heard = waiting.makeAsyncIterator()
                #expect(await heard.next() == nil, "what was missed comes before what was heard")
            }
        }
        try await server.stop()
    }
}
