import CaptureModel
import CaptureQueue
import ChaosKit
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// A primary that becomes a replica keeps its connections and refuses whatever they write: the way to the new one is a
/// new connection, by a name or an address that leads there.
@Suite("After a failover", .timeLimit(.minutes(2)))
struct FailoverTests {
    private struct Servers {
        let old: PrivateRedis
        let new: PrivateRedis
        let link: Link

        static func start() async throws -> Servers {
            let socket = try TemporaryDirectory.make("primary").appendingPathComponent("redis.sock").path
            let old = try await PrivateRedis.start(["--unixsocket", socket], tcp: true)
            return Servers(old: old, new: try await old.replica(), link: try await Link.open(to: socket))
        }

        /// Has them change roles; connections that there are stay with the old one.
        func failOver() async throws {
            try await new.cli("REPLICAOF", "NO", "ONE")
            link.redirect(to: new.directory.appendingPathComponent("redis.sock").path)
            try await old.cli("REPLICAOF", "127.0.0.1", "\(try FreePort.take())")
        }
    }

    /// Calls again while the servers change their roles, as workers and gateways do.
    private func untilDone<Value>(_ call: () async throws(QueueError) -> Value) async throws -> Value {
        while true {
            do throws(QueueError) {
                return try await call()
            } catch {
                guard error.isTransient else { throw error }
            }
            try await pass(.milliseconds(20))
        }
    }

    @Test func `a queue enqueues, claims and takes over at the new primary`() async throws {
        let servers = try await Servers.start()
        try await RedisFixture.withClient("redis://127.0.0.1:\(servers.link.port)", connections: 2) { redis in
            _ = try await FunctionLibrary.current.install(on: redis)
            var configuration = RedisQueueConfiguration()
            // Every lease has lapsed: a takeover needs no waiting.
            configuration.leaseDuration = .zero
            let queue = RedisCaptureQueue(client: redis, configuration: configuration, consumer: "a", logger: .quiet)
            var maker = SubmissionMaker(seed: 40)
            let captures = (0..<3).map { _ in maker.submission(of: maker.device(), bundleStore: .memory) }
            #expect(try await queue.enqueue(captures[0]) == .accepted)
            #expect(try await queue.claimOne().ids == [captures[0].id])
            let interrupted = Task { try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(60)) }
            try await eventually { try await servers.old.cli("INFO", "clients").contains("blocked_clients:1") }
            let ready = queue.keyspace[0].ready
            try await eventually { try await servers.new.cli("XPENDING", ready, "workers").hasPrefix("1") }

            try await servers.failOver()
            _ = await interrupted.result
            let begun = ContinuousClock.now
            let outcome = try await untilDone { () async throws(QueueError) in try await queue.enqueue(captures[1]) }
            #expect(outcome == .accepted)
            let claimed = try await untilDone { () async throws(QueueError) in
                try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(5))
            }
            #expect(claimed.flatMap(\.ids) == [captures[1].id])
            let blocked = Task {
                try await untilDone { () async throws(QueueError) in
                    try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(60))
                }
            }
            try await eventually { try await servers.new.cli("INFO", "clients").contains("blocked_clients:1") }
            let last = try await untilDone { () async throws(QueueError) in try await queue.enqueue(captures[2]) }
            #expect(last == .accepted)
            #expect(try await blocked.value.flatMap(\.ids) == [captures[2].id])
            let taken = try await untilDone { () async throws(QueueError) in try await queue.takeOver() }
            #expect(taken?.ids == [captures[0].id])
            #expect(begun.duration(to: .now) < .seconds(30))
        }
        await servers.link.close()
    }
}
