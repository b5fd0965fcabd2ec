import CaptureModel
import CaptureQueue
import ChaosKit
import Foundation
import Logging
import NIOCore
import NIOPosix
import RedisClient
import TestSupport
import Testing

@testable import RedisCaptureQueue

/// Leases that could not be renewed for want of the server are its worker's still once that is back.
@Suite(.timeLimit(.minutes(2)))
struct RenewalAfterOutageTests {
    /// Otherwise the next renewal comes with the next beat, and other workers may have taken the lanes over by then.
    @Test func `leases are renewed as soon as the server is back, and once only`() async throws {
        let server = try await PrivateRedis.start()
        let link = try await Link.open(to: server.directory.appendingPathComponent("redis.sock").path)
        try await QueueFixture.with(server) { fixture in
            var maker = SubmissionMaker(seed: 15)
            try await fixture.upload(maker.submission(of: maker.device()))
            let queue = fixture.queue("a")
            let lease = try await queue.claimOne()
            try await fixture.redis("CONFIG", "RESETSTAT")
            func renewals() async throws -> Int {
                let stats = try await fixture.redis("INFO", "commandstats").string ?? ""
                return stats.firstMatch(of: /cmdstat_xclaim:calls=([0-9]+),/).flatMap { Int($0.output.1) } ?? 0
            }
            link.stall()
            let client = RedisClient(
                configuration: try RedisConfiguration(url: "redis://127.0.0.1:\(link.port)"),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .quiet)
            let running = Task { try await client.run() }
            defer { running.cancel() }
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            let heartbeat = Heartbeat(
                queue: queue, client: client, eventLoop: eventLoop, interval: .seconds(1_200),
                startedAt: Timestamp(millisecondsSince1970: 1_800_000_000_000), isServerAway: { false }, logger: .quiet)
            // Nobody tells it to beat again: what follows is its own doing.
            eventLoop.execute { heartbeat.beat() }
            try await eventually { !queue.leases.areRenewed }
            #expect(try await renewals() == 0)
            link.restore()
            try await eventually { queue.leases.areRenewed }
            let first = try await renewals()
            #expect(first > 0 && queue.holds(lease.token))
            // One more would be under way by now, on the same connection as the ping that comes after it.
            let later = TimeAmount(Heartbeat.retryPauseMax) + .milliseconds(1)
            try await eventLoop.scheduleTask(in: later) {}.futureResult.get()
            try await client.ping()
            #expect(try await renewals() == first)
            heartbeat.stop()
            running.cancel()
            try await running.value
        }
        await link.close()
        try await server.stop()
    }
}
