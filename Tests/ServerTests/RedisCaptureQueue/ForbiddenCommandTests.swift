import CaptureModel
import CaptureQueue
import Logging
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Redis has no rollback: a function whose user may not call a command would leave what it had written by then.
@Suite("A command that the user of Redis may not call", .timeLimit(.minutes(2)))
struct ForbiddenCommandTests {
    /// The values of all keys, as Redis would dump them.
    private func values(_ fixture: QueueFixture) async throws -> [String: RedisValue] {
        var values: [String: RedisValue] = [:]
        for key in try await fixture.keys() { values[key] = try await fixture.redis("DUMP", .string(key)) }
        return values
    }

    /// Calls a function again and again without each of the commands; it says which it is and changes nothing.
    private func refuse(
        _ call: RedisCommand, without commands: [String], _ fixture: QueueFixture,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await values(fixture)
        for command in commands {
            try await fixture.redis("ACL", "SETUSER", "default", .string("-" + command.lowercased()))
            for _ in 0..<2 {
                let reply = try await fixture.client.pipeline([call])[0]
                #expect(
                    reply.error?.message == fixture.keyspace[0].refusal(without: command),
                    sourceLocation: sourceLocation)
            }
            try await fixture.redis("ACL", "SETUSER", "default", .string("+" + command.lowercased()))
            #expect(try await values(fixture) == before, "\(command)", sourceLocation: sourceLocation)
        }
    }

    /// What puts a capture into a lane.
    private static let putting = [
        "RPUSH", "LINDEX", "XADD", "ZADD", "ZUNIONSTORE", "ZREM", "HSET", "HDEL", "HGET", "HINCRBY", "SET", "PERSIST",
        "UNLINK", "PEXPIRE", "PUBLISH",
    ]

    /// Otherwise a second call was told that the capture is accepted, and it was in a lane without a token.
    @Test func `that a capture needs keeps it out as a whole, until the user may call it again`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 90)
            let queue = fixture.queue()
            let submission = maker.submission(of: maker.device())
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            try await refuse(call.command, without: Self.putting + ["ZSCORE"], fixture)
            #expect(try await fixture.keys().isEmpty)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await QueueDoctor(queue: queue).examine().findings.isEmpty)
            #expect(try await queue.claimOne().ids == [submission.id])
        }
    }

    @Test func `that a dead letter needs to be put back keeps it one, until the user may call it again`()
        async throws
    {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 91)
            let queue = fixture.queue()
            let submission = maker.submission(of: maker.device())
            try await fixture.upload(submission)
            _ = try await queue.settle([try await queue.claimOne().burying()])
            let redrive = RedisCommand(
                "FCALL", ["capture_redrive_v1", 1, .string(fixture.keyspace[0].ready), .string("\(submission.id)")])
            try await refuse(redrive, without: Self.putting, fixture)
            #expect(try await queue.redrive(submission.id))
            #expect(try await QueueDoctor(queue: queue).examine().findings.isEmpty)
            #expect(try await queue.claimOne().ids == [submission.id])
        }
    }

    /// Its job named the bytes that came, and it stayed a letter: the same call then took it for mended.
    @Test func `that a letter of bytes in files needs leaves its job alone, until the user may call it again`()
        async throws
    {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 95)
            let queue = fixture.queue()
            let submission = maker.submission(of: maker.device())
            let call = EnqueueCall(submission, keyspace: fixture.keyspace).withoutBytes
            var first = call
            first.arguments.append(("bundle_store", "filesystem"))
            #expect(try await fixture.client.send(first.command).array?.first?.string == "accepted")
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleCorrupt)])
            let keys = fixture.keyspace[0]
            try await fixture.redis("SET", .string(keys.photo(submission.id)), "abc", "EX", 60)
            try await fixture.redis("SET", .string(keys.depth(submission.id)), "de", "EX", 60)
            try await refuse(call.command, without: ["ZSCORE", "ZREM", "HINCRBY", "RPUSH"], fixture)
            _ = try await fixture.client.send(call.command)
            #expect(try await queue.claimOne().ids == [submission.id])
        }
    }

    @Test func `that a dead letter needs to be discarded keeps it listed, until the user may call it again`()
        async throws
    {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 94)
            let queue = fixture.queue()
            let submission = maker.submission(of: maker.device())
            try await fixture.upload(submission)
            _ = try await queue.settle([try await queue.claimOne().burying()])
            let keys = fixture.keyspace[0]
            let capture = RedisArgument.string("\(submission.id)")
            let time = try #require(try await fixture.redis("ZSCORE", .string(keys.dead), capture).string)
            let discard = RedisCommand(
                "FCALL", ["capture_discard_v1", 1, .string(keys.ready), capture, .string(time)])
            try await refuse(discard, without: ["ZREM", "UNLINK", "DEL", "HINCRBY", "PUBLISH"], fixture)
            #expect(try await fixture.client.send(discard).int == 1)
            #expect(try await QueueDoctor(queue: queue).examine().findings.isEmpty)
        }
    }

    @Test func `that a lost capture needs keeps it from being restored, until the user may call it again`()
        async throws
    {
        try await QueueFixture.withOwnServer { fixture in
            let submission = SubmissionMaker.submission(seed: 92)
            let ready = RedisArgument.string(fixture.keyspace[0].ready)
            let mark = RedisArgument.string("\(submission.id)")
            try await fixture.redis("FCALL", "capture_restoration_v1", 1, ready, "begin", mark)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace).withoutBytes
            let arguments = call.arguments.flatMap { [RedisArgument.string($0.name), .string($0.value)] }
            let restore = RedisCommand(
                "FCALL", ["capture_restore_v1", 1, ready, mark, .integer(arguments.count)] + arguments)
            try await refuse(restore, without: Self.putting + ["TIME", "EXISTS", "ZSCORE"], fixture)
            #expect(try await fixture.client.send(restore).array?.map(\.string) == ["lost"])
            #expect(try await fixture.queue().claimOne().ids == [submission.id])
        }
    }

    /// A worker that could not give lanes back takes none: they would lose their tokens.
    @Test(arguments: DamagedPartitionTests.Step.allCases)
    func `that lanes need to be given back leaves them where they are`(step: DamagedPartitionTests.Step) async throws {
        try await QueueFixture.withOwnServer { fixture in
            let scene = try await DamagedPartitionTests.Scene(fixture)
            let commands = [
                "XADD", "XACK", "XDEL", "ZADD", "ZREM", "ZUNIONSTORE", "LTRIM", "HSET", "HDEL", "HINCRBY", "UNLINK",
                "PUBLISH",
            ]
            try await refuse(step.command(scene), without: commands, fixture)
            _ = try await fixture.client.send(step.command(scene))
            #expect(try await QueueDoctor(queue: fixture.queue()).examine().findings.isEmpty)
        }
    }

    /// By it a settlement sees whose a lane is: without it a worker claimed lanes that it could not give back.
    @Test(arguments: [DamagedPartitionTests.Step.claim, .settle])
    func `that tells whose lanes are whose keeps them from being claimed and settled`(
        step: DamagedPartitionTests.Step
    ) async throws {
        try await QueueFixture.withOwnServer { fixture in
            let scene = try await DamagedPartitionTests.Scene(fixture)
            try await refuse(step.command(scene), without: ["XPENDING"], fixture)
        }
    }

    /// A user as a line of the deployment's README makes it.
    private func user(_ name: String, _ password: String) throws -> [String] {
        let lines = try Repository.text("Config/deploy/README.md").split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("user \(name) on ") })
        return line.replacing("FILL-IN", with: password).split(separator: " ").dropFirst().map { String($0) }
    }

    /// The deployment's README has such a user.
    @Test func `is none of those that the programs and operators need, for the user that the deployment names`()
        async throws
    {
        // SHA-256 of `administrator`.
        let digest = "4194d1706ed1f408d5e02d672777019f4d5385c766a8c6ca8acba3167d36a7b9"
        let users = try ["--user"] + user("default", digest) + ["--user"] + user("capture", "secret")
        let server = try await PrivateRedis.start(users, tcp: true)
        let url = server.url.replacing("redis://", with: "redis://capture:secret@")
        try await RedisFixture.withClient(url) { redis in
            _ = try await FunctionLibrary.current.install(on: redis)
            let queue = RedisCaptureQueue(client: redis, consumer: "worker", logger: .quiet)
            try await queue.applyLimits()
            let submission = SubmissionMaker.submission(seed: 93)
            let call = EnqueueCall(submission, keyspace: .standard)
            #expect(try await redis.send(call.command).array?.first?.string == "accepted")
            _ = try await queue.settle([try await queue.claimOne().burying()])
            #expect(try await queue.redrive(submission.id))
            try await queue.setPaused(since: Timestamp.systemTime())
            try await queue.setPaused(since: nil)
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            #expect(try await queue.overview().lastHour.verified == 1)
            #expect(try await QueueDoctor(queue: queue).examine().findings.isEmpty)
            let report = try await DurabilityReport.read(from: redis, demand: DurabilityDemand(level: .ledger))
            #expect(report.problems.allSatisfy { $0.value != nil }, "\(report.problems)")
            // With the administrator's password they would be one.
            let password = try await redis.send(RedisCommand("CONFIG", ["GET", "requirepass"]))
            #expect(password.array?.map(\.string) == ["requirepass", ""])
            #expect(!report.problems.contains { $0.setting == "Redis's requirepass" })
            let challenges = RedisChallengeStore(client: redis)
            try await challenges.issue([1], lifetime: .seconds(60))
            #expect(try await challenges.consume([1]))
            let limiter = RedisRateLimiter(client: redis, logger: .quiet)
            #expect(try await limiter.admit("login:192.0.2.1", limit: 1, window: .seconds(60)) == .allowed)
            for forbidden in [RedisCommand("FLUSHALL", []), RedisCommand("GET", ["other"])] {
                #expect(try await redis.pipeline([forbidden])[0].error?.prefix == "NOPERM")
            }
        }
        let administered = server.url.replacing("redis://", with: "redis://default:administrator@")
        try await RedisFixture.withClient(administered) { redis async throws in
            #expect(try await redis.send(RedisCommand("ACL", ["WHOAMI"])).string == "default")
        }
        try await server.stop()
    }
}
