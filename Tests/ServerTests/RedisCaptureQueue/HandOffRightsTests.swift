import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// What the user of Redis may call with whom a gateway hands captures off.
@Suite("The rights of a hand-off", .timeLimit(.minutes(2)))
struct HandOffRightsTests {
    /// Calls the function without each of the commands: it says which it is, and keeps nothing.
    private func refuse(
        _ call: EnqueueCall, without commands: [String], _ fixture: QueueFixture,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await fixture.keys()
        for command in commands {
            try await fixture.redis("ACL", "SETUSER", "default", .string("-" + command.lowercased()))
            let reply = try await fixture.client.pipeline([call.command])[0]
            try await fixture.redis("ACL", "SETUSER", "default", .string("+" + command.lowercased()))
            #expect(
                reply.error?.message == fixture.keyspace[0].refusal(without: command), "\(reply)",
                sourceLocation: sourceLocation)
            #expect(try await fixture.keys() == before, "\(command)", sourceLocation: sourceLocation)
        }
    }

    /// Stores the bytes of a call that brings none.
    private func store(_ submission: CaptureSubmission, by redis: RedisClient, _ keyspace: Keyspace) async throws {
        let keys = keyspace.partition(of: submission.device)
        for (key, bytes) in [(keys.photo(submission.id), "abc"), (keys.depth(submission.id), "de")] {
            _ = try await redis.send(RedisCommand("SET", [.string(key), .string(bytes), "NX", "EX", 900]))
        }
    }

    /// It was told as a key that somebody has written over, for which gateways try again without end.
    @Test func `a command that it reads with is named where it is missing, and no key counts as damaged`()
        async throws
    {
        try await QueueFixture.withOwnServer { fixture in
            let submission = SubmissionMaker.submission(seed: 95)
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            try await refuse(call, without: ["GET", "EXISTS", "TYPE", "HMGET", "LLEN"], fixture)
            try await store(submission, by: fixture.client, fixture.keyspace)
            try await refuse(call.withoutBytes, without: ["STRLEN"], fixture)
            #expect(try await fixture.client.send(call.withoutBytes.command).array?.first?.string == "accepted")
            #expect(try await QueueDoctor(queue: fixture.queue()).examine().findings.isEmpty)
        }
    }

    /// The keys' pattern is good then, and whoever mends it would look there.
    @Test func `a channel that the user may not publish to is named as one`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 99)
            let call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            try await fixture.redis("ACL", "SETUSER", "default", "resetchannels")
            let reply = try await fixture.client.pipeline([call.command])[0]
            let message = "NOPERM the user may not call PUBLISH for channels as {\(fixture.keyspace.queue):0}:events"
            #expect(reply.error?.message == message, "\(reply)")
            #expect(try await fixture.keys().isEmpty)
        }
    }

    /// Without `HMGET` the id seemed to be another bundle's, for which gateways draw a new one.
    @Test func `a bundle that comes again is refused likewise, under its own id and under another one`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 96)
            let submission = maker.submission(of: maker.device())
            let call = EnqueueCall(submission, keyspace: fixture.keyspace)
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            let commands = ["GET", "TIME", "TYPE", "HEXISTS", "HMGET", "STRLEN", "SET"]
            try await refuse(call, without: commands, fixture)
            let photo = RedisArgument.string(fixture.keyspace.partition(of: submission.device).photo(submission.id))
            try await fixture.redis("UNLINK", photo)
            let other = maker.submission(of: submission.device, digest: submission.bundleDigest)
            try await store(other, by: fixture.client, fixture.keyspace)
            let again = EnqueueCall(other, keyspace: fixture.keyspace).withoutBytes
            try await refuse(again, without: ["GET", "EXISTS", "TYPE", "HMGET", "STRLEN", "COPY"], fixture)
            #expect(try await fixture.client.send(again.command).array?.first?.string == "duplicate")
            #expect(try await fixture.redis("GET", photo).string == "abc")
        }
    }

    /// A server that has the user of README's line.
    private func start() async throws -> PrivateRedis {
        let text = try Repository.text("README.md")
        let rights = try #require(text.firstMatch(of: /\nuser handoff (on >FILL-IN .+)\n/)?.output.1)
        let words = rights.replacing("FILL-IN", with: "secret").split(separator: " ").map { String($0) }
        return try await PrivateRedis.start(["--user", "handoff"] + words)
    }

    @Test func `the user that the README names may call what any hand-off needs, and nothing else`() async throws {
        let server = try await start()
        try await QueueFixture.with(server) { fixture in
            let queue = RedisCaptureQueue(client: fixture.client, consumer: "worker", logger: .quiet)
            try await RedisFixture.withClient("\(server.url)?user=handoff&password=secret") { redis in
                var maker = SubmissionMaker(seed: 97)
                func answer(_ call: EnqueueCall) async throws -> String? {
                    try await redis.send(call.command).array?.first?.string
                }
                let first = maker.submission(of: maker.device())
                let keys = Keyspace.standard.partition(of: first.device)
                let call = EnqueueCall(first, keyspace: .standard)
                #expect(try await answer(call) == "accepted")
                #expect(try await answer(call) == "accepted")
                let other = maker.submission(of: first.device, digest: first.bundleDigest)
                try await fixture.redis("UNLINK", .string(keys.photo(first.id)))
                try await store(other, by: redis, .standard)
                #expect(try await answer(EnqueueCall(other, keyspace: .standard).withoutBytes) == "duplicate")
                #expect(try await fixture.redis("EXISTS", .string(keys.photo(first.id))).int == 1)
                _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing)])
                #expect(try await answer(call) == "accepted")
                #expect(try await queue.load().deadLetters == 0)
                try await fixture.redis("HSET", .string(keys.limits), "captures_max", 1)
                let more = EnqueueCall(maker.submission(of: maker.device()), keyspace: .standard)
                #expect(try await answer(more) == "full")
                try await fixture.redis("HDEL", .string(keys.limits), "captures_max")
                try await fixture.redis("UNLINK", .string(keys.ready))
                #expect(try await answer(more) == "accepted", "and the tokens of all lanes are there again")
                #expect(try await redis.send(RedisCommand("WAIT", [0, 1])).int == 0)
                for forbidden in [
                    RedisCommand("FLUSHALL", []), RedisCommand("GET", ["other"]),
                    RedisCommand("DEL", [.string(keys.ready)]),
                ] {
                    #expect(try await redis.pipeline([forbidden])[0].error?.prefix == "NOPERM")
                }
            }
        }
        try await server.stop()
    }

    @Test(arguments: EnqueueExample.allCases)
    func `the same user is enough for the examples`(example: EnqueueExample) async throws {
        let server = try await start()
        let files = try ExampleFiles(photo: [1], depth: [2], assertion: [0xA2], metadata: Array("{}".utf8))
        defer { files.remove() }
        try await QueueFixture.with(server) { _ in
            var maker = SubmissionMaker(seed: 98)
            let device = "\(maker.device())"
            let isPython = example == .python
            let arguments = isPython ? ["--device", device] + files.pythonArguments : [device] + files.shellArguments
            let login = ["--user", "handoff", "--pass", "secret", "--no-auth-warning"]
            let environment = [
                "CAPTURE_REDIS_URL": "\(server.url)?user=handoff&password=secret",
                "REDIS_CLI": (["redis-cli"] + server.cliAddress + login).joined(separator: " "),
            ]
            for outcome in ["accepted", "duplicate"] {
                let answer = try await example.run(arguments, environment: environment)
                #expect(answer.exitCode == 0 && answer.words.first == outcome, "\(answer)")
            }
        }
        try await server.stop()
    }
}

extension PartitionKeys {
    /// What a function says when the user may not call a command.
    func refusal(without command: String) -> String {
        let names = command == "PUBLISH" ? "channels as \(events)" : "keys as \(ready)"
        return "NOPERM the user may not call \(command) for \(names)"
    }
}
