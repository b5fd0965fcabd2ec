import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import ServiceLifecycle
import TestSupport
import Testing

/// What operators are told: numbers of the latest minutes and hours, and who works the queue.
@Suite("Overview", .timeLimit(.minutes(2)))
struct OverviewTests {
    @Test(arguments: [1, 4])
    func `what comes in and what becomes of it is counted by minute and by hour`(partitions: Int) async throws {
        try await QueueFixture.with(partitions: partitions) { fixture in
            var maker = SubmissionMaker(seed: 31)
            let receivedAt = Timestamp.systemTime().advanced(by: .seconds(-100))
            let captures = (0..<4).map { _ in maker.submission(of: maker.device(), receivedAt: receivedAt) }
            for capture in captures { try await fixture.upload(capture) }
            let queue = fixture.queue()
            for (index, lease) in try await queue.claimNow().enumerated() {
                let settlement =
                    switch index {
                    case 0: lease.settling(as: .rejected(.counterReplay))
                    case 1:
                        LaneSettlement(
                            token: lease.token, device: lease.device,
                            items: [
                                .init(id: lease.ids[0], disposition: .dead(.attemptsExhausted, fault: "gave up"))
                            ], continuation: .ready)
                    default: lease.settling()
                    }
                #expect(try await queue.settle([settlement]) == [.settled])
            }
            let overview = try await queue.overview()
            for tally in [overview.lastHour, overview.lastDay] {
                #expect((tally.accepted, tally.verified, tally.rejected, tally.failed) == (4, 2, 1, 1))
                #expect(tally.reasons == [.counterReplay: 1, .attemptsExhausted: 1])
                // From one minute to five.
                #expect(tally.latencies.counts.enumerated().allSatisfy { $1 == ($0 == 12 ? 3 : 0) })
            }
            #expect(overview.load.deadLetters == 1 && overview.load.captures == 0)
            #expect(overview.lastDay.duration > overview.lastHour.duration)
        }
    }

    @Test func `a capture that was put back is counted each time that it is given up`() async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 37)
            try await fixture.upload(capture)
            let queue = fixture.queue()
            for _ in 0..<2 {
                _ = try await queue.settle([try await queue.claimOne().burying(.attemptsExhausted)])
                #expect(try await queue.redrive(capture.id))
            }
            _ = try await queue.settle([try await queue.claimOne().settling()])
            let tally = try await queue.overview().lastHour
            #expect((tally.accepted, tally.verified, tally.rejected, tally.failed) == (1, 1, 0, 2))
            #expect(tally.reasons == [.attemptsExhausted: 2])
        }
    }

    /// As its workers count them beside those of this one: what was rejected is told with all its reasons.
    @Test func `reasons of a newer release are counted as not known`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 38)
            try await fixture.upload(maker.submission(of: maker.device()))
            let key = try #require(try await fixture.keys().first { $0.contains(":tally:hour:") })
            for reason in ["OF_A_NEWER_RELEASE", "OF_IT_TOO", "COUNTER_REPLAY"] {
                try await fixture.redis("HINCRBY", .string(key), .string("reason:\(reason)"), "2")
            }
            #expect(try await fixture.queue().overview().lastDay.reasons == [.reasonUnknown: 4, .counterReplay: 2])
        }
    }

    @Test func `a span in which nothing happened is empty, and an old one goes by itself`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 32)
            try await fixture.upload(maker.submission(of: maker.device()))
            let queue = fixture.queue()
            let minutes = try await queue.tallies(.minute, count: 10_000)
            #expect(minutes.count == 120 && minutes.reduce(0) { $0 + $1.accepted } == 1)
            #expect(zip(minutes, minutes.dropFirst()).allSatisfy { $1.start.since($0.start) == .seconds(60) })
            let tallies = try await fixture.keys().filter { $0.contains(":tally:") }
            #expect(tallies.count == 2)
            for key in tallies { #expect(try await fixture.redis("PTTL", .string(key)).int ?? -1 > 0) }
        }
    }

    @Test func `a worker is listed from its start to its end, with what it holds`() async throws {
        let server = try await PrivateRedis.shared()
        try await QueueFixture.with(partitions: 2) { fixture in
            let queue = fixture.queue("one")
            let startedAt = Timestamp(millisecondsSince1970: 1_800_000_000_000)
            let renewer = LeaseRenewer(
                queue: queue, redis: try RedisConfiguration.patient(server.url), startedAt: startedAt,
                logger: fixture.logger, clientLogger: fixture.logger)
            let group = ServiceGroup(services: [renewer], logger: fixture.logger)
            let running = Task { try await group.run() }
            var maker = SubmissionMaker(seed: 33)
            for _ in 0..<3 { try await fixture.upload(maker.submission(of: maker.device())) }
            #expect(try await queue.claimNow().count == 3)
            let gateway = fixture.queue("gateway")
            var workers: [WorkerStatus] = []
            try await eventually {
                workers = try await gateway.overview().workers
                return !workers.isEmpty
            }
            let worker = try #require(workers.first)
            #expect(workers.count == 1 && worker.name == "one" && worker.isAlive)
            #expect((worker.version, worker.startedAt, worker.leasedLanes) == (ProcessorVersion.current, startedAt, 3))
            await group.triggerGracefulShutdown()
            try await running.value
            #expect(try await gateway.overview().workers.isEmpty)
        }
    }

    @Test func `a worker that has gone silent is told from one that lives, and is forgotten in the end`() async throws {
        try await QueueFixture.with { fixture in
            let key = RedisArgument.string("{\(fixture.keyspace.queue):0}:workers")
            let now = try await fixture.queue().serverTime().millisecondsSince1970
            try await fixture.redis("HSET", key, "silent", .string("0.1.0 1 \(now - 60_000)"))
            try await fixture.redis("HSET", key, "forgotten", .string("0.1.0 1 \(now - 700_000)"))
            try await fixture.redis("HSET", key, "odd", "what")
            let workers = try await fixture.queue().overview().workers
            #expect(workers.map(\.name) == ["silent"] && workers.allSatisfy { !$0.isAlive })
            try await fixture.redis(
                "FCALL", "capture_present_v1", 1, .string(fixture.keyspace[0].ready), "new", "0.2.0", "5")
            #expect(try await fixture.redis("HLEN", key).int == 2)
        }
    }
}
