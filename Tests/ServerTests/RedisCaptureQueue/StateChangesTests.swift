import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Changes of captures, as watchers at any gateway hear of them.
@Suite(.timeLimit(.minutes(2)))
struct StateChangesTests {
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
            let capture = SubmissionMaker.submission(seed: 2)
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
            let queued = StateChange(capture: capture.id, device: capture.device, news: .state(.queued))
            #expect(await heard.next() == queued)
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
        try await QueueFixture.withOwnServer { fixture in
            let capture = SubmissionMaker.submission(seed: 1)
            let changes = RedisStateChanges(client: fixture.client, keyspace: fixture.keyspace, logger: fixture.logger)
            try await hearing(changes) {
                let waiting = try #require(changes.changes(of: capture.id))
                let all = try #require(changes.allChanges())
                try await fixture.server.kill()
                try await fixture.server.restart()
                for await _ in waiting { Issue.record("there was no change") }
                for await _ in all { Issue.record("there was no change") }
            }
        }
    }

    @Test func `who listens to all and is slower than changes come is told that some are missing`() async throws {
        try await QueueFixture.with { fixture in
            let captures = SubmissionMaker.submissions(3, seed: 1)
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
            let capture = SubmissionMaker.submission(seed: 1)
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
