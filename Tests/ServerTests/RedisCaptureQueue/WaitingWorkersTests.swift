import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import Synchronization
import TestSupport
import Testing

/// Idle workers that wait in Redis for a token: each token wakes one of them, and none is missed.
@Suite("Workers that wait", .timeLimit(.minutes(2)))
struct WaitingWorkersTests {
    /// The connections of this queue with a read that is blocked in the server: `id=7`.
    private func blocked(_ fixture: QueueFixture) async throws -> [String] {
        let clients = try await fixture.redis("CLIENT", "LIST").string ?? ""
        return clients.split(separator: "\n").filter {
            $0.contains(" name=\(fixture.keyspace.queue) ") && $0.contains(" flags=b")
        }.map { client in String(client.prefix { $0 != " " }) }
    }

    /// Waits until so many reads of this queue are blocked in the server.
    private func untilBlocked(_ count: Int, _ fixture: QueueFixture) async throws {
        try await eventually { try await blocked(fixture).count == count }
    }

    /// Begins claims of one lane each, by workers of their own, that wait for as long as the test may take.
    private func waiting(_ workers: Int, _ fixture: QueueFixture) async throws -> [Task<[CaptureID], any Error>] {
        let claims = (0..<workers).map { number in
            let queue = fixture.queue("worker-\(number)")
            return Task {
                try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(600)).flatMap(\.ids)
            }
        }
        try await untilBlocked(workers, fixture)
        return claims
    }

    /// How many functions were called since the counts began anew.
    private func calls(_ fixture: QueueFixture) async throws -> Int? {
        let stats = try await fixture.redis("INFO", "commandstats").string ?? ""
        return stats.firstMatch(of: /cmdstat_fcall:calls=([0-9]+),/).flatMap { Int($0.1) }
    }

    @Test func `waiting workers are woken one by one, and none claims in vain`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 61)
            let claims = try await waiting(5, fixture)
            try await fixture.redis("CONFIG", "RESETSTAT")
            var uploaded: Set<CaptureID> = []
            for left in (0..<5).reversed() {
                let capture = maker.submission(of: maker.device())
                try await fixture.upload(capture)
                uploaded.insert(capture.id)
                try await untilBlocked(left, fixture)
            }
            var claimed: [CaptureID] = []
            for claim in claims { claimed += try await claim.value }
            #expect(claimed.count == 5 && Set(claimed) == uploaded)
            #expect(try await calls(fixture) == 10, "a call to enqueue and one to claim for each capture")
        }
    }

    @Test func `as many waiting workers are woken as lanes become ready in one call`() async throws {
        try await QueueFixture.with { fixture in
            let captures = SubmissionMaker.submissions(3, seed: 62)
            for capture in captures { try await fixture.upload(capture) }
            let queue = fixture.queue()
            let delay = LaneSettlement.Continuation.delayed(.seconds(3_600), fault: "test")
            _ = try await queue.settle(queue.claimNow().map { $0.settling(0, delay) })
            let claims = try await waiting(3, fixture)
            try await fixture.passTime()
            #expect(try await queue.promote() == 3)
            var claimed: [CaptureID] = []
            for claim in claims { claimed += try await claim.value }
            #expect(Set(claimed) == Set(captures.map(\.id)))
        }
    }

    @Test func `a waiting worker claims the capture that another was told of and did not live to claim`() async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 63)
            // Makes the groups.
            #expect(try await fixture.queue("lost").claimNow().isEmpty)
            let lost = try await fixture.client.openConnection()
            let ready = RedisArgument.string(fixture.keyspace[0].ready)
            let told = Task {
                try await lost.send(
                    RedisCommand(
                        "XREADGROUP",
                        ["GROUP", "waiting", "worker", "BLOCK", 0, "NOACK", "STREAMS", ready, ">"]),
                    timeout: .seconds(100))
            }
            try await untilBlocked(1, fixture)
            let queue = fixture.queue("a")
            let next = Task {
                var leases: [Lease] = []
                while leases.isEmpty, !Task.isCancelled {
                    leases = try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .milliseconds(200))
                }
                return leases.flatMap(\.ids)
            }
            try await untilBlocked(2, fixture)
            try await fixture.upload(capture)
            #expect(try await told.value.array?.count == 1)
            #expect(try await next.value == [capture.id])
            await lost.close()
        }
    }

    /// As where Redis keeps an older library, which does not make the group: a worker asks ten times a second then.
    @Test func `a waiting worker whose group is deleted makes it again, and waits on the same connection`()
        async throws
    {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 65)
            let claim = try await waiting(1, fixture)[0]
            let before = try await blocked(fixture)
            try await fixture.redis("XGROUP", "DESTROY", .string(fixture.keyspace[0].ready), "waiting")
            try await untilBlocked(1, fixture)
            #expect(try await blocked(fixture) == before)
            let capture = maker.submission(of: maker.device())
            try await fixture.upload(capture)
            #expect(try await claim.value == [capture.id])
        }
    }

    @Test func `waiting workers claim every capture, however many claims are broken off`() async throws {
        try await QueueFixture.with { fixture in
            let captures = SubmissionMaker.submissions(40, seed: 64)
            let claimed = Claimed()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    let queue = fixture.queue("worker-\(worker)")
                    group.addTask {
                        try await work(queue, cancellingEvery: worker + 2, until: captures.count, claimed)
                    }
                }
                for capture in captures { try await fixture.upload(capture) }
                try await group.waitForAll()
            }
            #expect(claimed.all == Set(captures.map(\.id)))
        }
    }

    /// Claims and settles until so many captures are claimed; every so many claims it cancels one that has just begun.
    private func work(
        _ queue: RedisCaptureQueue, cancellingEvery period: Int, until count: Int, _ claimed: Claimed
    ) async throws {
        var round = 0
        while claimed.all.count < count {
            round += 1
            let claim = Task { try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .milliseconds(200)) }
            if round.isMultiple(of: period) { claim.cancel() }
            // A claim that was cancelled may have taken tokens: the same worker's next claim looks for them.
            guard case .success(let leases) = await claim.result, !leases.isEmpty else { continue }
            let outcomes = try await queue.settle(leases.map { $0.settling() })
            #expect(outcomes.allSatisfy { $0 == .settled })
            claimed.add(leases.flatMap(\.ids))
        }
    }

    /// What the workers of a test have claimed.
    private final class Claimed: Sendable {
        private let ids = Mutex<Set<CaptureID>>([])

        var all: Set<CaptureID> { ids.withLock { $0 } }

        func add(_ more: [CaptureID]) {
            ids.withLock { $0.formUnion(more) }
        }
    }
}
