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
        let files = try ExampleFiles()
        defer { files.remove() }
        try await RedisFixture.withClient(url) { redis in
            _ = try await FunctionLibrary.current.install(on: redis)
            // The default user may nothing any more: what comes without a log-in is refused.
            _ = try await redis.send(RedisCommand("ACL", ["SETUSER", "default", "off"]))
            var maker = SubmissionMaker(seed: 23)
            func run(_ address: String) async throws -> (exitCode: Int32, output: String) {
                let script = Repository.directory.appending(path: "Config/deploy/examples/enqueue.py").path
                let device = maker.device().description
                return try await LeashedProcess.run(
                    "python3", [script, "--redis", address, "--device", device] + files.pythonArguments)
            }
            let accepted = try await run(url)
            #expect(accepted.exitCode == 0 && accepted.output.hasPrefix("accepted"), "\(accepted.output)")
            let id = accepted.output.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
            #expect(try await redis.send(RedisCommand("EXISTS", [.string("{cq:0}:job:\(id)")])).int == 1)
            #expect(try await run(server.url).output.contains("unauthenticated"))
            let other = try await run("http://secret@127.0.0.1:1")
            #expect(other.exitCode != 0 && other.output.contains("rediss://") && !other.output.contains("secret"))
        }
    }

    @Test func `the python and shell examples work as written, and know each other's bundles`() async throws {
        // Both use the standard keys.
        let server = try await PrivateRedis.shared()
        let files = try ExampleFiles()
        defer { files.remove() }
        try await QueueBench.with(server) { bench in
            var maker = SubmissionMaker(seed: .random(in: 0..<UInt64.max))
            let device = maker.device()
            let python = try await Example.python.handOff(files, of: device, in: .standard, to: server)
            #expect(python.exitCode == 0 && python.words.first == "accepted", "\(python)")
            let shell = try await Example.shell.handOff(files, of: device, in: .standard, to: server)
            #expect(shell.exitCode == 0 && shell.lines == ["duplicate", python.words.last ?? ""], "\(shell)")
            try files.changeAssertion()
            let other = try await Example.shell.handOff(files, of: device, in: .standard, to: server)
            #expect(other.exitCode == 0 && other.lines.first == "accepted", "\(other)")
            let queue = RedisCaptureQueue(client: bench.client, consumer: "examples", logger: bench.logger)
            let lease = try #require(
                try await queue.claim(lanesMax: 100, capturesPerLaneMax: 2, wait: .zero).first { $0.device == device })
            #expect(lease.jobs.count == 2)
            for case .valid(let job) in lease.jobs { #expect(job.submission.metadata == files.metadata) }
            _ = try await queue.settle([lease.settling()])
        }
    }

    @Test(arguments: Example.allCases)
    func `a queue that is full is told with its load, and nothing is left behind`(example: Example) async throws {
        let server = try await PrivateRedis.start()
        let files = try ExampleFiles()
        defer { files.remove() }
        try await QueueBench.with(server) { bench in
            try await bench.redis("HSET", .string(Keyspace.standard[0].limits), "captures_max", 1)
            var maker = SubmissionMaker(seed: 24)
            let first = try await example.handOff(files, of: maker.device(), in: .standard, to: server)
            #expect(first.exitCode == 0 && first.words.first == "accepted", "\(first)")
            let full = try await example.handOff(files, of: maker.device(), in: .standard, to: server)
            switch example {
            case .python: #expect(full.exitCode == 75 && full.lines == ["full 1 768"], "\(full)")
            case .shell: #expect(full.exitCode == 0 && full.lines == ["full", "1", "768"], "\(full)")
            }
            let photos = try await bench.redis("KEYS", "{cq:0}:photo:*").array?.count
            #expect(photos == 1, "the first one's is left")
        }
        try await server.stop()
    }

    private static let devices = ["0f8fad5b-d9cb-469f-a165-70867728950e", "00000000-0000-4000-8000-000000000000"]

    @Test(arguments: Example.allCases, devices)
    func `of many partitions the device's is taken, by the names that our programs use`(
        example: Example, text: String
    ) async throws {
        let server = try await PrivateRedis.start()
        let files = try ExampleFiles()
        defer { files.remove() }
        let device = try #require(DeviceID(text))
        let keyspace = try #require(Keyspace(partitions: 16))
        let keys = keyspace.partition(of: device)
        let digest = try files.digest(of: device)
        try await QueueBench.with(server) { bench in
            let answer = try await example.handOff(files, of: device, in: keyspace, to: server)
            #expect(answer.exitCode == 0 && answer.words.first == "accepted", "\(answer)")
            let capture = try #require(answer.words.last.flatMap { CaptureID($0) })
            let names = [
                keys.ready, keys.lane(device), keys.job(capture), keys.accepted(digest), keys.stats,
                keys.photo(capture), keys.depth(capture),
            ]
            let found = Set(try await bench.redis("KEYS", "{cq:*").array?.compactMap(\.string) ?? [])
            #expect(keys.number > 0 && found.isSuperset(of: names), "\(found)")
            #expect(found.allSatisfy { $0.hasPrefix("{cq:\(keys.number)}:") }, "\(found)")
        }
        try await server.stop()
    }
}

/// One of the programs of `Config/deploy/examples`.
enum Example: String, CaseIterable, Sendable {
    case python = "enqueue.py"
    case shell = "enqueue.sh"

    struct Answer {
        let exitCode: Int32
        let lines: [String]

        var words: [String] { lines.flatMap { $0.split(separator: " ").map(String.init) } }
    }

    /// Runs it with a capture's files.
    func handOff(
        _ files: ExampleFiles, of device: DeviceID, in keyspace: Keyspace, to server: PrivateRedis
    ) async throws -> Answer {
        let path = Repository.directory.appending(path: "Config/deploy/examples/\(rawValue)").path
        var arguments: [String]
        var environment: [String: String] = [:]
        switch self {
        case .python:
            arguments = ["--redis", server.url, "--device", "\(device)", "--partitions", "\(keyspace.partitions)"]
            arguments += files.pythonArguments
        case .shell:
            arguments = ["\(device)"] + files.shellArguments
            environment["REDIS_CLI"] = (["redis-cli"] + server.cliAddress).joined(separator: " ")
            environment["CAPTURE_PARTITION"] = "\(keyspace.partition(of: device).number)"
        }
        let run = try await LeashedProcess.run(path, arguments, environment: environment)
        return Answer(exitCode: run.exitCode, lines: run.output.split(separator: "\n").map(String.init))
    }
}

/// The four files of a capture, with every byte value in them.
struct ExampleFiles {
    let directory: URL
    let metadata = Array("{\"captured_at\":\"2026-01-01T00:00:00Z\"}\n\n".utf8)

    init() throws {
        directory = try TemporaryDirectory.make("examples")
        let everyByte = Data((0...255).map { UInt8($0) })
        try everyByte.write(to: directory.appending(path: "photo"))
        try (everyByte + everyByte).write(to: directory.appending(path: "depth"))
        try everyByte.write(to: directory.appending(path: "assertion"))
        try Data(metadata).write(to: directory.appending(path: "metadata"))
    }

    func changeAssertion() throws {
        try Data([0, 13, 10, 0xFF]).write(to: directory.appending(path: "assertion"))
    }

    /// What our gateway would know the bundle by.
    func digest(of device: DeviceID) throws -> SHA256Digest {
        let digests = try ["photo", "depth", "assertion", "metadata"].map { name in
            SHA256Digest.hash(Array(try Data(contentsOf: directory.appending(path: name))))
        }
        return BundleDigest.compute(
            device: device, assertion: digests[2], photo: digests[0], depth: digests[1], metadata: digests[3])
    }

    func remove() {
        try? FileManager.default.removeItem(at: directory)
    }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    var pythonArguments: [String] {
        ["photo", "depth", "assertion", "metadata"].flatMap { ["--\($0)", path($0)] }
    }

    var shellArguments: [String] { ["photo", "depth", "assertion", "metadata"].map(path) }
}
