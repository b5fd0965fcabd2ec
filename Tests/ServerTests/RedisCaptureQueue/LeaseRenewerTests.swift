import CaptureModel
import CaptureQueue
import ChaosKit
import Foundation
import Logging
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Leases are kept while their worker lives, and handed back when its time is over.
@Suite(.timeLimit(.minutes(2)))
struct LeaseRenewerTests {
    private func renewer(
        of queue: RedisCaptureQueue, _ redis: RedisConfiguration, isServerAway: Bool = false,
        begun: (@Sendable () -> [CaptureID])? = nil, leaveLimit: Duration = LeaseRenewer.defaultLeaveLimit,
        logger: Logger = .quiet
    ) -> LeaseRenewer {
        LeaseRenewer(
            queue: queue, redis: redis, startedAt: Timestamp(millisecondsSince1970: 1_800_000_000_000),
            isServerAway: { isServerAway }, begun: begun, leaveLimit: leaveLimit, logger: logger,
            clientLogger: .quiet)
    }

    /// The worker's other connections may be well: nobody else would tell that its lanes go to others.
    @Test(arguments: [false, true])
    func `leases that are not renewed for want of a connection are told, unless the server is away`(isAway: Bool)
        async throws
    {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.leaseDuration = .seconds(1)
        let server = try await PrivateRedis.start()
        let link = try await Link.open(to: server.directory.appendingPathComponent("redis.sock").path)
        try await QueueFixture.with(server, configuration: configuration) { fixture in
            var maker = SubmissionMaker(seed: 13)
            try await fixture.upload(maker.submission(of: maker.device()))
            let (queue, recorder) = (fixture.queue("a"), LogRecorder())
            let renewer = renewer(
                of: queue, try RedisConfiguration(url: "redis://127.0.0.1:\(link.port)"), isServerAway: isAway,
                logger: recorder.logger)
            let running = Task { try await renewer.run() }
            defer { running.cancel() }
            let lease = try await queue.claimOne()
            link.stall()
            // Another worker takes the lane over: by then the first one has told of it, if it is to.
            var taken: Lease?
            try await eventually {
                taken = try await fixture.queue("b").takeOver()
                return taken != nil
            }
            #expect(taken?.device == lease.device)
            if !isAway { try await eventually { !recorder.lines.isEmpty } }
            let told = recorder.lines.filter { $0 == "warning leases are not renewed" }
            #expect(told.count == (isAway ? 0 : 1), "\(recorder.lines)")
            #expect(isAway || !recorder.values(of: "fault").isEmpty)
            link.restore()
            running.cancel()
            try await running.value
        }
        await link.close()
        try await server.stop()
    }

    @Test func `a worker that is cancelled hands back what it holds`() async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 11)
            try await fixture.upload(capture)
            let queue = fixture.queue("a")
            let renewer = renewer(of: queue, try .patient(fixture.server.url), leaveLimit: .seconds(60))
            let running = Task { try await renewer.run() }
            defer { running.cancel() }
            _ = try await queue.claimOne()
            running.cancel()
            try await running.value
            #expect(try await fixture.queue("b").claimOne().ids == [capture.id])
        }
    }

    /// Otherwise the program would be ended before it is done.
    @Test func `a worker that is cancelled tries for a moment only to hand back what it holds, connecting included`()
        async throws
    {
        var configuration = RedisQueueConfiguration.ofTests
        // The renewer's own connection may take a sixth of it to be made: 100 s.
        configuration.leaseDuration = .seconds(600)
        try await FakeRedis.with(logIn: nil) { _ in
            ByteBuffer()
        } _: { server in
            try await QueueFixture.with(configuration: configuration) { fixture in
                var redis = try RedisConfiguration(url: server.url)
                redis.connectTimeout = .seconds(100)
                let renewer = renewer(of: fixture.queue("a"), redis)
                let running = Task { try await renewer.run() }
                let began = ContinuousClock.now
                running.cancel()
                try await running.value
                #expect(began.duration(to: .now) < .seconds(60))
            }
        }
    }

    @Test func `a worker that leaves in the middle has only that suspected which it computed`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 14)
            let (computed, waiting) = (maker.submission(of: maker.device()), maker.submission(of: maker.device()))
            for capture in [computed, waiting] { try await fixture.upload(capture) }
            let queue = fixture.queue("a")
            let renewer = renewer(
                of: queue, try .patient(fixture.server.url), begun: { [computed.id] }, leaveLimit: .seconds(60))
            let running = Task { try await renewer.run() }
            defer { running.cancel() }
            #expect(try await queue.claimNow().count == 2)
            running.cancel()
            try await running.value
            let statuses = try await queue.status(of: [computed.id, waiting.id])
            #expect(statuses.map { $0?.attempts } == [1, 0] && statuses.allSatisfy { $0?.state == .queued })
            let suspects = try await fixture.queue("b").claimNow().map { (isSuspect: $0.isSuspect, id: $0.ids[0]) }
            #expect(suspects.filter(\.isSuspect).map(\.id) == [computed.id])
            #expect(suspects.filter { !$0.isSuspect }.map(\.id) == [waiting.id])
        }
    }

    @Test func `a connection of the renewer's on which nothing comes back costs no lease`() async throws {
        var configuration = RedisQueueConfiguration.ofTests
        // A connection is given up after a sixth of it.
        configuration.leaseDuration = .seconds(30)
        let server = try await PrivateRedis.start()
        let link = try await Link.open(to: server.directory.appendingPathComponent("redis.sock").path)
        try await QueueFixture.with(server, configuration: configuration) { fixture in
            var maker = SubmissionMaker(seed: 12)
            try await fixture.upload(maker.submission(of: maker.device()))
            let queue = fixture.queue("a")
            var redis = try RedisConfiguration(url: "redis://127.0.0.1:\(link.port)")
            // Longer than the lease: by itself the client would find out too late.
            redis.commandTimeout = .seconds(60)
            let renewer = renewer(of: queue, redis)
            let running = Task { try await renewer.run() }
            defer { running.cancel() }
            let lease = try await queue.claimOne()
            func isRenewed() async throws -> Bool {
                try await fixture.redis("INFO", "commandstats").string?.contains("cmdstat_xclaim") == true
            }
            try await eventually(isRenewed)
            link.freeze()
            try await fixture.redis("CONFIG", "RESETSTAT")
            var taken: Lease?
            try await eventually {
                taken = try await fixture.queue("b").takeOver()
                guard taken == nil else { return true }
                return try await isRenewed()
            }
            #expect(taken == nil && queue.holds(lease.token))
            running.cancel()
            try await running.value
        }
        await link.close()
        try await server.stop()
    }

    @Test func `a short lease is renewed although connecting takes longer than a renewal may`() async throws {
        var configuration = RedisQueueConfiguration.ofTests
        // A renewal may take a sixth of it.
        configuration.leaseDuration = .seconds(1)
        let server = try await PrivateRedis.start()
        let link = try await Link.open(to: server.directory.appendingPathComponent("redis.sock").path)
        link.slowDown(by: .milliseconds(200))
        try await QueueFixture.with(server, configuration: configuration) { fixture in
            var maker = SubmissionMaker(seed: 13)
            try await fixture.upload(maker.submission(of: maker.device()))
            let queue = fixture.queue("a")
            var redis = try RedisConfiguration(url: "redis://127.0.0.1:\(link.port)")
            redis.clientName = "renewer"
            let renewer = renewer(of: queue, redis)
            let running = Task { try await renewer.run() }
            defer { running.cancel() }
            // Its log-in has come through.
            try await eventually {
                try await fixture.redis("CLIENT", "LIST").string?.contains(" name=renewer ") == true
            }
            link.restore()
            let lease = try await queue.claimOne()
            try await eventually {
                try await fixture.redis("INFO", "commandstats").string?.contains("cmdstat_xclaim") == true
            }
            #expect(queue.holds(lease.token))
            running.cancel()
            try await running.value
        }
        await link.close()
        try await server.stop()
    }
}
