import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The programs that show other languages how to hand captures off, as README and their own headings describe them.
@Suite("The examples of the hand-off", .timeLimit(.minutes(2)))
struct EnqueueExamplesTests {
    @Test func `the python example logs in as the URL says, and takes no other scheme`() async throws {
        let server = try await PrivateRedis.start(
            ["--user", "apps", "on", ">p@ss:w/rd", "~*", "&*", "+@all"], tcp: true)
        let url = server.url.replacing("redis://", with: "redis://apps:p%40ss%3Aw%2Frd@") + "/2"
        let files = try ExampleFiles.ofEveryByte()
        defer { files.remove() }
        try await RedisFixture.withClient(url) { redis in
            _ = try await FunctionLibrary.current.install(on: redis)
            // The default user may nothing any more: what comes without a log-in is refused.
            _ = try await redis.send(RedisCommand("ACL", ["SETUSER", "default", "off"]))
            var maker = SubmissionMaker(seed: 23)
            func run(_ address: String) async throws -> EnqueueExample.Answer {
                let device = maker.device().description
                return try await EnqueueExample.python.run(
                    ["--redis", address, "--device", device] + files.pythonArguments)
            }
            let accepted = try await run(url)
            #expect(accepted.exitCode == 0 && accepted.output.hasPrefix("accepted"), "\(accepted.output)")
            let id = accepted.words.last ?? ""
            #expect(try await redis.send(RedisCommand("EXISTS", [.string("{cq:0}:job:\(id)")])).int == 1)
            // Where it has a password in it, it is no argument.
            let unseen = try await EnqueueExample.python.run(
                ["--device", maker.device().description] + files.pythonArguments,
                environment: ["CAPTURE_REDIS_URL": url])
            #expect(unseen.exitCode == 0 && unseen.output.hasPrefix("accepted"), "\(unseen.output)")
            let stranger = try await run(server.url)
            #expect(stranger.exitCode == 70 && stranger.output.contains("unauthenticated"), "\(stranger)")
            let other = try await run("http://secret@127.0.0.1:1")
            #expect(other.exitCode != 0 && other.output.contains("rediss://") && !other.output.contains("secret"))
        }
    }

    @Test func `the python example reads an address as our programs do, and tells nothing of one that it cannot`()
        async throws
    {
        let files = try ExampleFiles.ofEveryByte()
        defer { files.remove() }
        let tcp = try await PrivateRedis.start(["--user", "apps", "on", ">pa#s[s@:w", "~*", "&*", "+@all"], tcp: true)
        let socket = try await PrivateRedis.start()
        for url in [
            tcp.url.replacing("redis://", with: "redis://apps:pa#s[s@:w@") + "/2",
            socket.url.replacing("unix://", with: "redis+unix://") + "?db=1",
        ] {
            try await RedisFixture.withClient(url) { redis in
                _ = try await FunctionLibrary.current.install(on: redis)
                let accepted = try await Self.handOff(files, to: url)
                #expect(accepted.exitCode == 0 && accepted.output.hasPrefix("accepted"), "\(accepted.output)")
                let id = accepted.words.last ?? ""
                #expect(try await redis.send(RedisCommand("EXISTS", [.string("{cq:0}:job:\(id)")])).int == 1)
            }
        }
        for address in [
            "redis://default:secret/2@127.0.0.1:1", "127.0.0.1:secret", "unix:///r.sock?word=secret",
            "redis://redis..secret:6379", "rediss://\(String(repeating: "secret", count: 11)):6379",
        ] {
            let refused = try await Self.handOff(files, to: address)
            #expect(refused.exitCode == 2 && refused.output.contains("--redis: "), "\(refused.output)")
            #expect(!refused.output.contains("secret") && !refused.output.contains("Traceback"), "\(refused.output)")
        }
        try await tcp.stop()
        try await socket.stop()
    }

    @Test func `the python and shell examples work as written, and know each other's bundles`() async throws {
        // Both use the standard keys.
        let server = try await PrivateRedis.shared()
        let files = try ExampleFiles.ofEveryByte()
        defer { files.remove() }
        try await QueueFixture.with(server) { fixture in
            var maker = SubmissionMaker(seed: .random(in: 0..<UInt64.max))
            let device = maker.device()
            let python = try await EnqueueExample.python.handOff(files, of: device, to: server)
            #expect(python.exitCode == 0 && python.words.first == "accepted", "\(python)")
            let shell = try await EnqueueExample.shell.handOff(files, of: device, to: server)
            #expect(shell.exitCode == 0 && shell.lines == ["duplicate", python.words.last ?? ""], "\(shell)")
            try files.changeAssertion()
            let other = try await EnqueueExample.shell.handOff(files, of: device, to: server)
            #expect(other.exitCode == 0 && other.lines.first == "accepted", "\(other)")
            let queue = RedisCaptureQueue(client: fixture.client, consumer: "examples", logger: fixture.logger)
            let lease = try #require(
                try await queue.claim(lanesMax: 100, capturesPerLaneMax: 2, wait: .zero).first { $0.device == device })
            #expect(lease.jobs.map { $0.submission?.metadata } == [ExampleFiles.metadata, ExampleFiles.metadata])
            _ = try await queue.settle([lease.settling()])
        }
    }

    /// Apps may send it so, and handed on as it is it would be refused for good, as another bundle besides.
    @Test(arguments: EnqueueExample.allCases)
    func `an assertion in base64 is handed off as the CBOR that it is`(example: EnqueueExample) async throws {
        let server = try await PrivateRedis.start()
        let cbor: [UInt8] = [0xA2, 0x00, 0xFF, 0x0A, 0x0A]
        let text = try ExampleFiles.with(assertion: Array("\(Data(cbor).base64EncodedString())\n".utf8))
        defer { text.remove() }
        let binary = try ExampleFiles.with(assertion: cbor)
        defer { binary.remove() }
        try await QueueFixture.with(server) { fixture in
            var maker = SubmissionMaker(seed: 27)
            let device = maker.device()
            let first = try await example.handOff(text, of: device, to: server)
            #expect(first.exitCode == 0 && first.words.first == "accepted", "\(first)")
            let second = try await example.handOff(binary, of: device, to: server)
            #expect(second.exitCode == 0 && second.words == ["duplicate", first.words.last ?? ""], "\(second)")
            let queue = RedisCaptureQueue(client: fixture.client, consumer: "examples", logger: fixture.logger)
            let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 2, wait: .zero).first)
            #expect(lease.jobs.map { $0.submission?.assertion } == [cbor])
        }
        try await server.stop()
    }

    /// Decoded to something else, a genuine capture would be rejected.
    @Test func `the shell example hands CBOR off as it is, even if its base64 decodes that`() async throws {
        let server = try await PrivateRedis.start()
        let cbor: [UInt8] = [0xA2, 0x00, 0xFF, 0x0A, 0x0A]
        let files = try ExampleFiles.with(assertion: cbor)
        defer { files.remove() }
        let path = try files.pathWithLenientBase64()
        try await QueueFixture.with(server) { fixture in
            var maker = SubmissionMaker(seed: 28)
            let answer = try await EnqueueExample.shell.run(
                ["\(maker.device())"] + files.shellArguments,
                environment: ["REDIS_CLI": (["redis-cli"] + server.cliAddress).joined(separator: " "), "PATH": path])
            #expect(answer.exitCode == 0 && answer.words.first == "accepted", "\(answer)")
            let queue = RedisCaptureQueue(client: fixture.client, consumer: "examples", logger: fixture.logger)
            let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            #expect(lease.jobs.map { $0.submission?.assertion } == [cbor])
        }
        try await server.stop()
    }

    @Test func `a retry of the shell example that breaks off leaves what was accepted its bytes`() async throws {
        let server = try await PrivateRedis.start()
        let files = try ExampleFiles.ofEveryByte()
        defer { files.remove() }
        try await QueueFixture.with(server) { fixture in
            let capture = SubmissionMaker.submission(seed: 26)
            func run(_ client: String) async throws -> EnqueueExample.Answer {
                try await EnqueueExample.shell.run(
                    ["\(capture.device)"] + files.shellArguments + ["\(capture.id)"],
                    environment: ["REDIS_CLI": ([client] + server.cliAddress).joined(separator: " ")])
            }
            let accepted = try await run("redis-cli")
            #expect(accepted.exitCode == 0 && accepted.output.hasPrefix("accepted"), "\(accepted)")
            let again = try await run(try files.clientWithoutFunctions())
            #expect(again.exitCode == 75 && again.told == capture.id, "\(again)")
            let keys = Keyspace.standard[0]
            for key in [keys.photo(capture.id), keys.depth(capture.id)] {
                #expect(try await fixture.redis("PTTL", .string(key)).int == -1)
            }
        }
        try await server.stop()
    }

    @Test(arguments: EnqueueExample.allCases)
    func `a queue that is full is told with its load, and nothing is left behind`(
        example: EnqueueExample
    ) async throws {
        let server = try await PrivateRedis.start()
        let files = try ExampleFiles.ofEveryByte()
        defer { files.remove() }
        try await QueueFixture.with(server) { fixture in
            try await fixture.redis("HSET", .string(Keyspace.standard[0].limits), "captures_max", 1)
            var maker = SubmissionMaker(seed: 24)
            let first = try await example.handOff(files, of: maker.device(), to: server)
            #expect(first.exitCode == 0 && first.words.first == "accepted", "\(first)")
            let full = try await example.handOff(files, of: maker.device(), to: server)
            #expect(full.exitCode == 75 && full.words == ["full", "1", "768"], "\(full)")
            let photos = try await fixture.redis("KEYS", "{cq:0}:photo:*").array?.count
            #expect(photos == 1, "the first one's is left")
        }
        try await server.stop()
    }

    private static func handOff(
        _ files: ExampleFiles, to address: String
    ) async throws -> EnqueueExample.Answer {
        try await EnqueueExample.python.run(["--redis", address, "--device", devices[0]] + files.pythonArguments)
    }

    private static let devices = ["0f8fad5b-d9cb-469f-a165-70867728950e", "00000000-0000-4000-8000-000000000000"]

    @Test(arguments: EnqueueExample.allCases, devices)
    func `of many partitions the device's is taken, by the names that our programs use`(
        example: EnqueueExample, text: String
    ) async throws {
        let server = try await PrivateRedis.start()
        let files = try ExampleFiles.ofEveryByte()
        defer { files.remove() }
        let device = try #require(DeviceID(text))
        let keyspace = try #require(Keyspace(partitions: 16))
        let keys = keyspace.partition(of: device)
        let digest = try files.digest(of: device)
        try await QueueFixture.with(server) { fixture in
            let answer = try await example.handOff(
                files, of: device, to: server, partition: keys.number, of: keyspace.partitions)
            #expect(answer.exitCode == 0 && answer.words.first == "accepted", "\(answer)")
            let capture = try #require(answer.capture)
            let names = [
                keys.ready, keys.lane(device), keys.job(capture), keys.accepted(digest), keys.stats,
                keys.photo(capture), keys.depth(capture),
            ]
            let found = Set(try await fixture.redis("KEYS", "{cq:*").array?.compactMap(\.string) ?? [])
            #expect(keys.number > 0 && found.isSuperset(of: names), "\(found)")
            #expect(found.allSatisfy { $0.hasPrefix("{cq:\(keys.number)}:") }, "\(found)")
        }
        try await server.stop()
    }
}
