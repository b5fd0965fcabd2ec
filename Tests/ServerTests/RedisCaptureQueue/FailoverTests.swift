import CaptureModel
import CaptureQueue
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("After a failover", .timeLimit(.minutes(2)))
struct FailoverTests {
    @Test func `a queue enqueues, claims and takes over at the new primary`() async throws {
        try await FailoverServers.with { servers in
            try await RedisFixture.withClient(servers.url, connections: 2) { redis in
                try await work(servers, redis)
            }
        }
    }

    private func work(_ servers: FailoverServers, _ redis: RedisClient) async throws {
        _ = try await FunctionLibrary.current.install(on: redis)
        var configuration = RedisQueueConfiguration()
        // Every lease has lapsed: a takeover needs no waiting.
        configuration.leaseDuration = .zero
        let queue = RedisCaptureQueue(client: redis, configuration: configuration, consumer: "a", logger: .quiet)
        var maker = SubmissionMaker(seed: 40)
        let captures = (0..<3).map { _ in maker.submission(of: maker.device(), bundleStore: .filesystem) }
        #expect(try await queue.enqueue(captures[0]) == .accepted)
        #expect(try await queue.claimOne().ids == [captures[0].id])
        // Longer than the suite may take: nobody waits a claim's time out.
        let interrupted = Task { try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(600)) }
        try await eventually { try await servers.old.cli("INFO", "clients").contains("blocked_clients:1") }
        let ready = queue.keyspace[0].ready
        // Until the replica has the stream it says that there is none.
        try await eventually { try await servers.new.cliReply("XPENDING", ready, "workers").hasPrefix("1") }

        try await servers.failOver()
        _ = await interrupted.result
        let outcome = try await untilDone { () async throws(QueueError) in try await queue.enqueue(captures[1]) }
        #expect(outcome == .accepted)
        let claimed = try await untilDone { () async throws(QueueError) in
            try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(5))
        }
        #expect(claimed.flatMap(\.ids) == [captures[1].id])
        let blocked = Task {
            try await untilDone { () async throws(QueueError) in
                try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(600))
            }
        }
        try await eventually { try await servers.new.cli("INFO", "clients").contains("blocked_clients:1") }
        let last = try await untilDone { () async throws(QueueError) in try await queue.enqueue(captures[2]) }
        #expect(last == .accepted)
        #expect(try await blocked.value.flatMap(\.ids) == [captures[2].id])
        let taken = try await untilDone { () async throws(QueueError) in try await queue.takeOver() }
        #expect(taken?.ids == [captures[0].id])
    }

    /// Nobody is to think that data were lost.
    @Test func `a claim that waits while its server becomes a replica does not say that the stream is gone`()
        async throws
    {
        try await FailoverServers.with { servers in
            try await RedisFixture.withClient(servers.url, connections: 2) { redis in
                _ = try await FunctionLibrary.current.install(on: redis)
                let recorder = LogRecorder()
                let queue = RedisCaptureQueue(client: redis, consumer: "a", logger: recorder.logger)
                // Longer than the suite may take: nobody waits a claim's time out.
                let claim = Task { try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(600)) }
                try await eventually { try await servers.old.cli("INFO", "clients").contains("blocked_clients:1") }
                try await servers.demote()
                let fault = await #expect(throws: QueueError.self) { try await claim.value }
                #expect(fault?.code == .unavailable && fault?.message.hasPrefix("UNBLOCKED") == true)
                #expect(!recorder.lines.contains { $0.contains("gone") }, "\(recorder.lines)")
            }
        }
    }

    /// As where the old one does not know of it, and addresses lead there still: what it took would be overtaken.
    @Test func `a primary that its replica has left takes no capture, where it has to have one`() async throws {
        try await FailoverServers.with { servers in
            try await servers.old.cli("CONFIG", "SET", "min-replicas-to-write", "1")
            // One that is slow on a busy machine has not left.
            try await servers.old.cli("CONFIG", "SET", "min-replicas-max-lag", "3600")
            try await RedisFixture.withClient(servers.url) { redis in
                _ = try await FunctionLibrary.current.install(on: redis)
                let queue = RedisCaptureQueue(client: redis, consumer: "a", logger: .quiet)
                var maker = SubmissionMaker(seed: 43)
                let captures = (0..<2).map { _ in maker.submission(of: maker.device(), bundleStore: .filesystem) }
                #expect(try await queue.enqueue(captures[0]) == .accepted)
                try await servers.new.cli("REPLICAOF", "NO", "ONE")
                try await eventually {
                    try await servers.old.cli("INFO", "replication").contains("connected_slaves:0")
                }
                let fault = await #expect(throws: QueueError.self) { try await queue.enqueue(captures[1]) }
                #expect(fault?.code == .unavailable && fault?.isRefusal == true)
                #expect(try await servers.old.cli("EXISTS", queue.keyspace[0].job(captures[1].id)) == "0")
            }
        }
    }

    /// A worker's client for bytes only reads: no write of its own tells it that its server is a replica.
    @Test func `bytes stored since are fetched at the new primary, and never called missing`() async throws {
        try await FailoverServers.with { servers in
            try await RedisFixture.withClient(servers.url, connections: 2) { redis in
                let bundles = RedisBundleStore(client: redis)
                var maker = SubmissionMaker(seed: 41)
                let (before, since) = (maker.submission(of: maker.device()), maker.submission(of: maker.device()))
                try await put(before, at: servers.old)
                // Over both connections, which are there now.
                for _ in 0..<2 { #expect(try await bundles.fetch([before]) == [.found(Self.media)]) }
                try await servers.failOver()
                try await put(since, at: servers.new)
                for _ in 0..<4 {
                    let fetched = try await untilDone { () async throws(QueueError) in
                        try await bundles.fetch([since])
                    }
                    #expect(fetched == [.found(Self.media)])
                }
            }
        }
    }

    private static let media = CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))

    /// Stores bytes as a gateway does, over a client of its own.
    private func put(_ capture: CaptureSubmission, at server: PrivateRedis) async throws {
        try await RedisFixture.withClient(server.url) { redis in
            try await RedisBundleStore(client: redis).put(Self.media, of: capture)
        }
    }

    @Test func `who waits for changes is told to look again`() async throws {
        try await FailoverServers.with { servers in
            try await RedisFixture.withClient(servers.url) { redis in
                _ = try await FunctionLibrary.current.install(on: redis)
                let queue = RedisCaptureQueue(client: redis, consumer: "a", logger: .quiet)
                let changes = RedisStateChanges(client: redis, logger: .quiet)
                let capture = SubmissionMaker.submission(seed: 42, bundleStore: .filesystem)
                let early = try #require(changes.changes(of: capture.id))
                let running = Task { try await changes.run() }
                for await _ in early {}
                let waiting = try #require(changes.changes(of: capture.id))
                try await servers.failOver()
                let outcome = try await untilDone { () async throws(QueueError) in try await queue.enqueue(capture) }
                #expect(outcome == .accepted)
                // It ends, whatever was heard before.
                for await _ in waiting {}
                running.cancel()
                try await running.value
            }
        }
    }
}
