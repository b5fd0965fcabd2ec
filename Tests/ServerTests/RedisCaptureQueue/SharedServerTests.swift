import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Databases of one server share the functions' variables and all channels.
@Suite("Two installations in two databases of one Redis", .timeLimit(.minutes(2)))
struct SharedServerTests {
    /// An installation with a database of its own; its keys have the same names as the other's.
    private struct Installation {
        let id = InstallationID(UUID())
        let redis: RedisClient
        let keyspace: Keyspace
        let queue: RedisCaptureQueue

        init(_ redis: RedisClient) throws {
            self.redis = redis
            keyspace = try #require(Keyspace(partitions: 2))
            queue = RedisCaptureQueue(client: redis, keyspace: keyspace, consumer: "gateway", logger: .quiet)
        }

        func keepID() async throws { try await QueueInstallation.field.require(id, in: keyspace, on: redis) }

        func restore(_ partition: Int, _ number: Int) async throws {
            _ = try await queue.beginRestoration(of: partition, mark: .numbered(number))
            let finished = try await queue.finishRestoration(of: partition, mark: .numbered(number))
            #expect(finished == .restored(.numbered(number)))
        }

        /// Enqueues a new capture.
        func accept(_ submission: CaptureSubmission) async throws {
            let reply = try await redis.send(EnqueueCall(submission, keyspace: keyspace).command)
            #expect(reply.array?.first?.string == "accepted")
        }
    }

    /// Runs a body with both, which have their ids in their databases.
    private func withInstallations(_ body: (Installation, Installation) async throws -> Void) async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            try await RedisFixture.withClient(server.url + "?db=1") { other in
                _ = try await FunctionLibrary.current.install(on: redis)
                let (first, second) = (try Installation(redis), try Installation(other))
                for installation in [first, second] { try await installation.keepID() }
                try await body(first, second)
            }
        }
        try await server.stop()
    }

    /// They undid each other's mark, without end.
    @Test func `each keep the marks of their own partitions`() async throws {
        try await withInstallations { first, second in
            for partition in 0..<2 {
                try await first.restore(partition, 1 + partition)
                try await second.restore(partition, 3 + partition)
            }
            for _ in 0..<2 {
                #expect(try await first.queue.restorations() == [.restored(.numbered(1)), .restored(.numbered(2))])
                #expect(try await second.queue.restorations() == [.restored(.numbered(3)), .restored(.numbered(4))])
            }
        }
    }

    @Test func `which loses its data never finds an earlier mark again, and both are restored beside each other`()
        async throws
    {
        try await withInstallations { first, second in
            let key = RedisArgument.string("{cq:0}:restored")
            try await first.restore(0, 1)
            try await second.restore(0, 2)
            let earlier = try #require(try await second.redis.send(RedisCommand("GET", [key])).string)
            _ = try await second.redis.send(RedisCommand("FLUSHDB"))
            #expect(try await second.queue.restorations()[0] == .unmarked)
            #expect(try await first.queue.restorations()[0] == .restored(.numbered(1)))
            // Before a program has put the id back.
            try await second.restore(0, 3)
            try await second.keepID()
            #expect(try await second.queue.restorations()[0] == .restored(.numbered(3)))
            // As from an older replica that takes over.
            _ = try await second.redis.send(RedisCommand("SET", [key, .string(earlier)]))
            #expect(try await second.queue.restorations()[0] == .unmarked)
            try await second.restore(0, 4)
            try await first.restore(0, 5)
            #expect(try await second.queue.restorations()[0] == .restored(.numbered(4)))
            #expect(try await first.queue.restorations()[0] == .restored(.numbered(5)))
        }
    }

    /// A replica may still have the key of a restoration that began before the id was there again.
    @Test func `a mark that was made without the id is not found again after the next loss`() async throws {
        try await withInstallations { first, second in
            let key = RedisArgument.string("{cq:0}:restored")
            try await first.restore(0, 1)
            _ = try await second.redis.send(RedisCommand("FLUSHDB"))
            try await second.restore(0, 2)
            let earlier = try #require(try await second.redis.send(RedisCommand("GET", [key])).string)
            _ = try await second.redis.send(RedisCommand("FLUSHDB"))
            try await second.keepID()
            try await second.restore(0, 3)
            _ = try await second.redis.send(RedisCommand("SET", [key, .string(earlier)]))
            #expect(try await second.queue.restorations()[0] == .unmarked)
        }
    }

    /// Whose tokens may read one's changes may not read the other's.
    @Test func `each hear their own captures only, and miss none while the id is gone`() async throws {
        try await withInstallations { first, second in
            let changes = RedisStateChanges(
                client: first.redis, keyspace: first.keyspace, installation: { first.id }, logger: .quiet)
            let early = try #require(changes.allChanges())
            let running = Task { try await changes.run() }
            defer { running.cancel() }
            // It ends with the subscription.
            for await _ in early {}
            var heard = try #require(changes.allChanges()).makeAsyncIterator()
            var maker = SubmissionMaker(seed: 99)
            // Their devices are of either partition.
            for _ in 0..<8 {
                try await second.accept(maker.submission(of: maker.device()))
                let own = maker.submission(of: maker.device())
                try await first.accept(own)
                #expect(await heard.next()?.capture == own.id)
            }
            let limits = RedisArgument.string(first.keyspace[0].limits)
            _ = try await first.redis.send(RedisCommand("HDEL", [limits, "installation"]))
            let late = maker.submission(of: maker.device())
            try await first.accept(late)
            #expect(await heard.next()?.capture == late.id)
            running.cancel()
            try await running.value
        }
    }
}
