import CaptureModel
import CaptureQueue
import Logging
import NIOPosix
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("Faults of Redis that pass by themselves", .timeLimit(.minutes(2)))
struct QueueFaultTests {
    /// What a call throws, or nothing.
    private func fault(_ call: () async throws(QueueError) -> Void) async -> QueueError? {
        do throws(QueueError) {
            try await call()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a replica that was a master a moment ago takes no writes and loses none`() async throws {
        let server = try await PrivateRedis.start()
        // After the refusal of the first call the second waits for a primary, for as long as this.
        try await QueueFixture.with(server, reconnectGrace: .milliseconds(500)) { fixture in
            var maker = SubmissionMaker(seed: 30)
            try await fixture.upload(maker.submission(of: maker.device()))
            let queue = fixture.queue()
            let lease = try await queue.claimOne()
            try await fixture.redis("REPLICAOF", "127.0.0.1", .integer(try FreePort.take()))
            let refused = maker.submission(of: maker.device())
            for fault in [
                await fault { () async throws(QueueError) in _ = try await queue.settle([lease.settling()]) },
                await fault { () async throws(QueueError) in _ = try await queue.enqueue(refused) },
                await fault { () async throws(QueueError) in _ = try await queue.takeOver() },
            ] {
                #expect(fault?.code == .unavailable && fault?.message.contains("READONLY") == true, "\(fault as Any)")
            }
            // A client that was refused goes on only at a primary: it cannot make one of it itself.
            try await server.cli("REPLICAOF", "NO", "ONE")
            try await eventually {
                await self.fault { () async throws(QueueError) in _ = try await queue.load() } == nil
            }
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            #expect(try await fixture.upload(refused) == .accepted)
        }
        try await server.stop()
    }

    @Test func `a server that loads its data is waited for`() async throws {
        let server = try await PrivateRedis.start([
            "--appendfsync", "no", "--key-load-delay", "200", "--loading-process-events-interval-bytes", "1024",
        ])
        try await QueueFixture.with(server) { fixture in
            var maker = SubmissionMaker(seed: 31)
            try await fixture.upload(maker.submission(of: maker.device()))
            try await fixture.redis("EVAL", "for i = 1, 60000 do redis.call('SET', 'filler' .. i, i) end", 0)
            let queue = fixture.queue()
            try await server.stop()
            async let restarted: Void = server.restart()
            var faults: [QueueError] = []
            try await eventually {
                guard let fault = await self.fault({ () async throws(QueueError) in _ = try await queue.load() }) else {
                    return true
                }
                faults.append(fault)
                // It loads for a dozen seconds, or until this has been seen.
                if fault.message.hasPrefix("LOADING") { try await server.cli("CONFIG", "SET", "key-load-delay", "0") }
                return false
            }
            try await restarted
            #expect(faults.allSatisfy { $0.isTransient }, "\(faults)")
            #expect(faults.contains { $0.message.hasPrefix("LOADING") })
            #expect(try await queue.claimOne().jobs.count == 1)
        }
        try await server.stop()
    }

    @Test func `a server without a free connection is away`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            let queue = fixture.queue()
            #expect(try await queue.load().captures == 0)
            try await fixture.redis("CONFIG", "SET", "maxclients", 1)
            let late = RedisClient(
                configuration: try RedisConfiguration(url: fixture.server.url),
                eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
                logger: fixture.logger)
            let running = Task { try await late.run() }
            let other = RedisCaptureQueue(
                client: late, keyspace: fixture.keyspace, consumer: "late", logger: fixture.logger)
            let fault = await fault { () async throws(QueueError) in _ = try await other.load() }
            #expect(fault?.isTransient == true, "\(fault as Any)")
            try await fixture.redis("CONFIG", "SET", "maxclients", 100)
            try await eventually {
                await self.fault { () async throws(QueueError) in _ = try await other.load() } == nil
            }
            running.cancel()
            try await running.value
        }
    }

    /// Begins a claim that waits for as long as the test may take.
    private func claim(_ queue: RedisCaptureQueue) -> Task<[CaptureID], any Error> {
        Task { try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(600)).flatMap(\.ids) }
    }

    @Test func `a worker whose wait gets no connection looks again and again, and Redis is not away`() async throws {
        let server = try await PrivateRedis.start()
        let recorder = LogRecorder(from: .notice)
        let short = "warning Redis answers, and no more connections can be made"
        try await QueueFixture.with(server) { fixture in
            let captures = SubmissionMaker.submissions(2, seed: 32)
            let queue = fixture.queue(logger: recorder.logger)
            try await fixture.redis("CONFIG", "SET", "maxclients", 1)
            let polling = claim(queue)
            try await eventually { recorder.lines == [short] }
            try await fixture.upload(captures[0])
            #expect(try await polling.value == [captures[0].id])
            try await fixture.redis("CONFIG", "SET", "maxclients", 100)
            let waiting = claim(queue)
            try await fixture.untilClaimWaits()
            #expect(recorder.lines == [short, "notice Redis gives connections again"])
            try await fixture.upload(captures[1])
            #expect(try await waiting.value == [captures[1].id])
        }
        try await server.stop()
    }
}
