import CaptureModel
import CaptureQueue
import Foundation
import NIOCore
import RedisCaptureQueue
import RedisClient
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

/// Leases from claim to the end of the worker.
@Suite(.timeLimit(.minutes(2)))
struct LeaseTests {
    @Test func `tokens whose answer was lost are claimed by the same worker again`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 1)
            let captures = [maker.submission(of: maker.device()), maker.submission(of: maker.device())]
            for capture in captures { try await fixture.upload(capture) }
            // Delivered and claimed, and nobody heard of it.
            let keys = fixture.keyspace[0]
            try await fixture.redis("XGROUP", "CREATE", .string(keys.ready), "workers", "0")
            try await fixture.redis(
                "XREADGROUP", "GROUP", "workers", "a", "COUNT", 1, "STREAMS", .string(keys.ready), ">")
            try await fixture.redis("FCALL", "capture_claim_v1", 1, .string(keys.ready), "a", 1, 1)
            let leases = try await fixture.queue("a").claimNow()
            #expect(Set(leases.flatMap(\.ids)) == Set(captures.map(\.id)))
            #expect(leases.allSatisfy { $0.deliveries == 1 })
            let attempts = try await fixture.queue("a").status(of: captures.map(\.id)).map { $0?.attempts }
            #expect(attempts == [1, 1], "a claim whose answer was lost is counted once")
        }
    }

    /// Each claim finds two kinds of tokens: those of an earlier worker of the same name, and those just given to the
    /// other claims, whose answers have not arrived.
    @Test func `claims side by side never claim a lane twice`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 9)
            for _ in 0..<160 { try await fixture.upload(maker.submission(of: maker.device())) }
            let held = try await fixture.queue("a").claim(lanesMax: 40, capturesPerLaneMax: 1, wait: .zero)
            #expect(held.count == 40)
            let queue = fixture.queue("a")
            let tokens = try await withThrowingTaskGroup(of: [LaneToken].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var tokens: [LaneToken] = []
                        while case let leases = try await queue.claim(
                            lanesMax: 4, capturesPerLaneMax: 1, wait: .milliseconds(500)), !leases.isEmpty
                        { tokens += leases.map(\.token) }
                        return tokens
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(tokens.count == 160 && Set(tokens).count == 160)
        }
    }

    @Test func `what was claimed before a partition failed is worked`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            let queue = fixture.queue("a")
            #expect(try await queue.claim(lanesMax: 4, capturesPerLaneMax: 1, wait: .zero).isEmpty)
            var maker = SubmissionMaker(seed: 10)
            var inFirst: [CaptureID] = []
            while inFirst.count < 3 {
                let submission = maker.submission(of: maker.device())
                guard fixture.keyspace.partition(of: submission.device).number == 0 else { continue }
                try await fixture.upload(submission)
                inFirst.append(submission.id)
            }
            try await fixture.redis("SET", .string(fixture.keyspace[1].ready), "no stream")
            let leases = try await queue.claim(lanesMax: 4, capturesPerLaneMax: 1, wait: .zero)
            #expect(Set(leases.flatMap(\.ids)) == Set(inFirst))
        }
    }

    @Test func `a worker that stops hands back what it holds`() async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 2)
            try await fixture.upload(capture)
            let stopping = fixture.queue("a")
            let lease = try await stopping.claimOne()
            #expect(try await stopping.leave() == 1)
            #expect(try await stopping.settle([lease.settling()]) == [.fenced])
            #expect(try await fixture.queue("b").claimOne().ids == [capture.id])
            let consumers = try await fixture.redis("XINFO", "CONSUMERS", .string(fixture.keyspace[0].ready), "workers")
            let names = consumers.array?.map { $0.array?.dropFirst().first?.string }
            #expect(names == ["b"])
        }
    }

    /// In a process of its own: all tests share this one's threads, and would stand still as well.
    @Test func `a lease is renewed while its worker is busy, and the worker leaves when it stops`() async throws {
        await #expect(processExitsWith: .success) {
            var configuration = RedisQueueConfiguration.ofTests
            // A beat comes every 1.5 s, however long the lease is; a connection may take a sixth of the lease.
            configuration.leaseDuration = .seconds(60)
            let server = try await PrivateRedis.start()
            try await QueueFixture.with(server, configuration: configuration) { fixture in
                let capture = SubmissionMaker.submission(seed: 3)
                try await fixture.upload(capture)
                let queue = fixture.queue("a")
                let renewer = LeaseRenewer(
                    queue: queue, redis: try RedisConfiguration.patient(server.url),
                    startedAt: Timestamp(millisecondsSince1970: 1_800_000_000_000), logger: fixture.logger,
                    clientLogger: fixture.logger)
                let group = ServiceGroup(services: [renewer], logger: fixture.logger)
                let running = Task { try await group.run() }
                let lease = try await queue.claimOne()
                // Renewing has begun: without a free thread it could not.
                try await eventually {
                    try await fixture.redis("INFO", "commandstats").string?.contains("cmdstat_xclaim") == true
                }
                try await fixture.redis("CONFIG", "RESETSTAT")
                let client = fixture.client
                let isRenewed = await occupyPool {
                    let stats = try? client.sendFuture(RedisCommand("INFO", ["commandstats"])).wait().string
                    return stats?.contains(/cmdstat_xclaim:calls=([3-9]|[1-9][0-9]+),/) ?? false
                }
                try #require(isRenewed && queue.holds(lease.token))
                await group.triggerGracefulShutdown()
                try await running.value
                try #require(try await fixture.queue("b").claimOne().ids == [capture.id])
            }
        }
    }

    @Test func `a renewal finds out that a lease is lost`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 4)
            try await fixture.upload(maker.submission(of: maker.device()))
            let queue = fixture.queue("a")
            let lease = try await queue.claimOne()
            try await fixture.passTime()
            _ = try await fixture.queue("b").takeOver()
            #expect(queue.holds(lease.token))
            try await fixture.renew(queue)
            #expect(!queue.holds(lease.token))
        }
    }

    @Test func `a lease that its worker forgot is renewed for so long only`() async throws {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.leaseAgeMax = .zero
        try await QueueFixture.with(configuration: configuration) { fixture in
            let capture = SubmissionMaker.submission(seed: 5)
            try await fixture.upload(capture)
            let queue = fixture.queue("a")
            _ = try await queue.claimOne()
            try await fixture.passTime()
            try await fixture.renew(queue)
            #expect(try await fixture.queue("b").takeOver()?.ids == [capture.id])
        }
    }

    @Test func `a job that does not decode is handed out as malformed and can be settled as dead`() async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 6)
            try await fixture.upload(capture)
            let job = fixture.keyspace.partition(of: capture.device).job(capture.id)
            let line = "\(capture.device) other-v9 \(capture.photoDigest) \(capture.depthDigest) - 0\n"
            try await fixture.redis("HSET", .string(job), "submission", .string(line))
            let queue = fixture.queue("a")
            let lease = try await queue.claimOne()
            guard case .malformed(capture.id, let fault) = lease.jobs.first else {
                Issue.record("not malformed")
                return
            }
            #expect(fault.contains("binding"))
            let item = LaneSettlement.Item(id: capture.id, disposition: .dead(.internal, fault: fault))
            _ = try await queue.settle([
                LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
            ])
            #expect(try await queue.deadLetters(after: nil, limit: 1).letters.first?.status.fault == fault)
        }
    }

    @Test func `dead letters that cannot be read do not end the reading of the others`() async throws {
        try await QueueFixture.with { fixture in
            let captures = SubmissionMaker.submissions(5, seed: 8)
            for capture in captures { try await fixture.upload(capture) }
            let queue = fixture.queue("a")
            for lease in try await queue.claimNow() { _ = try await queue.settle([lease.burying()]) }
            let order = try await queue.deadLetters(after: nil, limit: 10).letters
            for letter in order.prefix(3) {
                try await fixture.redis(
                    "DEL", .string(fixture.keyspace.partition(of: letter.status.device).job(letter.id)))
            }
            let first = try await queue.deadLetters(after: nil, limit: 2)
            #expect(first.letters.isEmpty && first.next == order[1].position)
            let second = try await queue.deadLetters(after: first.next, limit: 2)
            #expect(second.letters == [order[3]] && second.next == order[3].position)
            let third = try await queue.deadLetters(after: second.next, limit: 2)
            #expect(third.letters == [order[4]] && third.next == nil)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a claim that is cancelled takes no token with it`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 7)
            let queue = fixture.queue("a")
            let claim = Task { try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(600)) }
            try await fixture.untilClaimWaits()
            claim.cancel()
            #expect(try await claim.value.isEmpty)
            let capture = maker.submission(of: maker.device())
            try await fixture.upload(capture)
            #expect(try await queue.claimOne().ids == [capture.id])
        }
    }
}

/// Occupies every thread of the cooperative pool until a condition holds, as stalled cryptography would.
///
/// A thread of its own checks the condition, which may block, and gives up after a number of checks.
private func occupyPool(until isMet: @escaping @Sendable () -> Bool) async -> Bool {
    final class Flag: Sendable {
        let isSet = Atomic(false)
        let isMet = Atomic(false)
    }
    let flag = Flag()
    Thread.detachNewThread {
        for _ in 0..<1_000 where !flag.isMet.load(ordering: .relaxed) {
            flag.isMet.store(isMet(), ordering: .relaxed)
            // A pause between two looks, as `eventually` makes them; that one needs the pool, which is occupied.
            Thread.sleep(forTimeInterval: 0.05)
        }
        flag.isSet.store(true, ordering: .relaxed)
    }
    await withTaskGroup { tasks in
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
            tasks.addTask {
                while !flag.isSet.load(ordering: .relaxed) {}
            }
        }
    }
    return flag.isMet.load(ordering: .relaxed)
}
