import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// With several partitions, damage in one keeps nobody from what the others have.
@Suite("A key that is damaged in Redis, beside other partitions", .timeLimit(.minutes(2)))
struct DamageBesideOthersTests {
    /// Uploads a capture to each partition, in their order.
    private func uploadToEach(_ seed: UInt64, _ fixture: QueueFixture) async throws -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: seed)
        var captures: [CaptureSubmission] = []
        while captures.count < fixture.keyspace.partitions {
            let capture = maker.submission(of: maker.device())
            guard fixture.keyspace.partition(of: capture.device).number == captures.count else { continue }
            try await fixture.upload(capture)
            captures.append(capture)
        }
        return captures
    }

    /// Makes a text of a capture's lane.
    private func damageLane(of capture: CaptureSubmission, _ fixture: QueueFixture) async throws {
        let key = fixture.keyspace.partition(of: capture.device).lane(capture.device)
        try await fixture.redis("SET", .string(key), "x")
    }

    @Test func `a damaged key in one partition keeps nobody from the others`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 8)
            var device = maker.device()
            while fixture.keyspace.partition(of: device).number != 1 { device = maker.device() }
            let captures = (0..<2).map { _ in maker.submission(of: device) }
            try await fixture.upload(captures[0])
            #expect(try await fixture.queue("a").claimOne().ids == [captures[0].id])
            try await fixture.redis("SET", .string(fixture.keyspace[0].ready), "x")
            // With the same name, it looks first for what its predecessor held, in every partition.
            let queue = fixture.queue("a")
            let lease = try await queue.claimOne()
            #expect(lease.ids == [captures[0].id])
            try await fixture.upload(captures[1])
            _ = try await queue.settle([lease.settling(1)])
            #expect(try await queue.claimOne().ids == [captures[1].id])
            #expect(try await queue.claimNow().isEmpty)
        }
    }

    @Test func `a damaged key in one partition keeps nobody from taking over the lanes of another`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            let captures = try await uploadToEach(9, fixture)
            #expect(try await fixture.queue("lost").claimNow().count == 2)
            try await fixture.passTime()
            // The lane cannot be worked, and it cannot be put off either.
            try await damageLane(of: captures[0], fixture)
            try await fixture.redis("SET", .string(fixture.keyspace[0].delayed), "x")
            #expect(try await fixture.queue("heir").takeOver()?.ids == [captures[1].id])
        }
    }

    @Test func `a damaged key in the only partition with a lapsed lane fails the taking over, which says where it is`()
        async throws
    {
        try await QueueFixture.with(partitions: 2) { fixture in
            let capture = SubmissionMaker.submission(seed: 11)
            try await fixture.upload(capture)
            #expect(try await fixture.queue("lost").claimNow().count == 1)
            try await fixture.passTime()
            let keys = fixture.keyspace.partition(of: capture.device)
            try await damageLane(of: capture, fixture)
            try await fixture.redis("SET", .string(keys.delayed), "x")
            let fault = await #expect(throws: QueueError.self) { _ = try await fixture.queue("heir").takeOver() }
            #expect(fault?.message.hasPrefix("partition \(keys.number): DAMAGED") == true)
        }
    }

    @Test func `a damaged key in one partition leaves the answers about the lanes of another`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            let captures = try await uploadToEach(12, fixture)
            let queue = fixture.queue()
            let leases = try await queue.claimNow()
            #expect(leases.count == 2)
            try await fixture.redis("SET", .string(fixture.keyspace[0].heads), "x")
            let outcomes = try await queue.settle(leases.map { $0.burying() })
            for (lease, outcome) in zip(leases, outcomes) {
                let isDamaged = lease.token.partition == 0
                let expected: SettleOutcome = isDamaged ? .failed(QueueError(.refused, "")) : .settled
                #expect(outcome == expected)
                #expect(queue.holds(lease.token) == isDamaged)
            }
            #expect(try await queue.deadLetter(captures[1].id) != nil)
        }
    }
}
