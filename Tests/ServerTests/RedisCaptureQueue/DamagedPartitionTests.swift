import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Redis has no rollback: a function that met a damaged key half-way would leave what it had written by then.
@Suite("A damaged key that all lanes of a partition need", .timeLimit(.minutes(2)))
struct DamagedPartitionTests {
    /// What is done to lanes and dead letters.
    enum Step: CaseIterable, Sendable {
        case claim, takeOver, settle, surrender, leave, promote

        func command(_ scene: Scene) -> RedisCommand {
            let name: String
            let arguments: [RedisArgument]
            switch self {
            case .claim: (name, arguments) = ("capture_claim_v1", ["b", 1, 1])
            case .takeOver: (name, arguments) = ("capture_takeover_v1", ["b", 0, 4])
            case .settle:
                name = "capture_settle_v1"
                arguments = [
                    "a", 60_000, .string(scene.lease.token.text), .string("\(scene.lease.device)"), "delayed", 1_000,
                    "test", 1, .string("\(scene.lease.ids[0])"), "verified", "", "",
                ]
            case .surrender: (name, arguments) = ("capture_surrender_v1", ["a", 0, "test"])
            case .leave: (name, arguments) = ("capture_leave_v1", ["a"])
            case .promote: (name, arguments) = ("capture_promote_v1", [10])
            }
            return RedisCommand("FCALL", [.string(name), 1, .string(scene.keys.ready)] + arguments)
        }
    }

    /// A lane with two captures of which a worker holds one, one that waits, and one whose delay is over.
    struct Scene: Sendable {
        let keys: PartitionKeys
        let lease: Lease

        init(_ fixture: QueueFixture) async throws {
            var maker = SubmissionMaker(seed: 80)
            keys = fixture.keyspace[0]
            let device = maker.device()
            for _ in 0..<2 { try await fixture.upload(maker.submission(of: device)) }
            lease = try await fixture.queue("a").claimOne(captures: 1)
            try await fixture.upload(maker.submission(of: maker.device()))
            let delay = LaneSettlement.Continuation.delayed(.seconds(60), fault: "test")
            let delayed = try await fixture.queue("x").claimOne()
            _ = try await fixture.queue("x").settle([delayed.settling(0, delay)])
            try await fixture.upload(maker.submission(of: maker.device()))
            try await fixture.passTime()
        }
    }

    /// The values of all keys, as Redis would dump them.
    private func values(_ fixture: QueueFixture) async throws -> [String: RedisValue] {
        var values: [String: RedisValue] = [:]
        for key in try await fixture.keys() { values[key] = try await fixture.redis("DUMP", .string(key)) }
        return values
    }

    @Test(arguments: Step.allCases, ["delayed", "heads", "lane_bytes", "dead"])
    func `a damaged key is named before anything is written`(step: Step, name: String) async throws {
        try await QueueFixture.with { fixture in
            let scene = try await Scene(fixture)
            let key = "{\(fixture.keyspace.queue):0}:\(name)"
            try await fixture.redis("SET", .string(key), "x")
            let before = try await values(fixture)
            let fault = await #expect(throws: RedisError.self) {
                try await fixture.client.send(step.command(scene))
            }
            #expect(fault?.message.hasPrefix("DAMAGED \(key) ") == true)
            #expect(try await values(fixture) == before)
        }
    }

    @Test func `a damaged key keeps a settlement until it is right again`() async throws {
        try await QueueFixture.with { fixture in
            let scene = try await Scene(fixture)
            let queue = fixture.queue("a")
            let delayed = RedisArgument.string(scene.keys.delayed)
            let aside = RedisArgument.string(scene.keys.delayed + "-aside")
            try await fixture.redis("RENAME", delayed, aside)
            try await fixture.redis("SET", delayed, "x")
            let settlement = scene.lease.settling(1, .delayed(.zero, fault: "test"))
            await #expect(throws: QueueError(.refused, "")) { _ = try await queue.settle([settlement]) }
            try await fixture.redis("RENAME", aside, delayed)
            #expect(try await queue.settle([settlement]) == [.settled])
            #expect(try await queue.promote() == 2)
        }
    }

    @Test(arguments: ["delayed", "dead"])
    func
        `a damaged key is said to who sends a dead letter's lost bytes under another id, and the next call puts it back`(
            name: String
        ) async throws
    {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 81)
            let submission = maker.submission(of: maker.device())
            let again = maker.submission(of: submission.device, digest: submission.bundleDigest)
            let keys = fixture.keyspace[0]
            let first = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(first.command).array?.first?.string == "accepted")
            let queue = fixture.queue("a")
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing, fault: "gone")])
            try await fixture.redis("UNLINK", .string(keys.photo(submission.id)), .string(keys.depth(submission.id)))
            let damaged = "{\(fixture.keyspace.queue):0}:\(name)"
            let (key, aside) = (RedisArgument.string(damaged), RedisArgument.string(damaged + "-aside"))
            try await fixture.redis("COPY", key, aside)
            try await fixture.redis("SET", key, "x")
            let call = EnqueueCall(again, keyspace: fixture.keyspace)
            let fault = await #expect(throws: RedisError.self) { try await fixture.client.send(call.command) }
            #expect(fault?.serverPrefix == "DAMAGED")
            #expect(try await fixture.redis("EXISTS", .string(keys.photo(submission.id))).int == 0)
            try await fixture.redis("DEL", key)
            // Nothing is put off, so there may be nothing to copy.
            try await fixture.redis("COPY", aside, key)
            let reply = try await fixture.client.send(call.command).array?.map(\.string)
            #expect(reply == ["duplicate", submission.id.description])
            #expect(try await queue.claimOne().ids == [submission.id])
        }
    }

    @Test func `a damaged key is named to a worker that joins after the stream was lost, and no stream is made`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let keys = fixture.keyspace[0]
            try await fixture.redis("SET", .string(keys.heads), "x")
            let fault = await #expect(throws: RedisError.self) {
                try await fixture.redis("FCALL", "capture_join_v1", 1, .string(keys.ready), 60_000)
            }
            #expect(fault?.message == "DAMAGED \(keys.heads) is of another type")
            #expect(try await fixture.redis("EXISTS", .string(keys.ready)).int == 0)
        }
    }

    @Test func `a damaged key does not refuse a claim of a queue that is paused`() async throws {
        try await QueueFixture.with { fixture in
            let queue = fixture.queue("a")
            try await queue.setPaused(since: Timestamp.systemTime())
            try await fixture.redis("SET", .string(fixture.keyspace[0].heads), "x")
            #expect(try await queue.claimNow().isEmpty)
            try await fixture.redis("DEL", .string(fixture.keyspace[0].paused))
            await #expect(throws: QueueError(.refused, "")) { _ = try await queue.claimNow() }
        }
    }
}
