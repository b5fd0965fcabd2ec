import Foundation
import NIOCore
import RedisClient
import TestSupport
import Testing

/// What is handed off into another database than the one that was meant is accepted, and nobody works it.
@Suite("The database that the examples of the hand-off use", .timeLimit(.minutes(2)))
struct EnqueueExampleDatabaseTests {
    private static let device = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"
    private static let own = "0f8fad5b-d9cb-469f-a165-70867728950e"
    private static let other = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

    private static func files() throws -> ExampleFiles {
        try ExampleFiles(photo: [1], depth: [2], assertion: [0xA2], metadata: Array("{}".utf8))
    }

    private static func run(
        _ example: EnqueueExample, _ files: ExampleFiles, url: String, client: [String], installation: String? = nil
    ) async throws -> EnqueueExample.Answer {
        switch example {
        case .python:
            let option = installation.map { ["--installation", $0] } ?? []
            return try await example.run(
                ["--device", device] + files.pythonArguments + option, environment: ["CAPTURE_REDIS_URL": url])
        case .shell:
            var environment = ["REDIS_CLI": (["redis-cli"] + client).joined(separator: " ")]
            environment["CAPTURE_INSTALLATION"] = installation
            return try await example.run([device] + files.shellArguments, environment: environment)
        }
    }

    /// redis-cli goes on as the default user, or in database 0, and ends with 0.
    @Test(arguments: EnqueueExample.allCases)
    func `a user or a database that Redis refuses is the gateway's fault, and no other one gets the capture`(
        example: EnqueueExample
    ) async throws {
        let server = try await PrivateRedis.start(
            ["--user", "handoff", "on", ">secret", "~{cq:*", "&{cq:*", "+@all", "-select"])
        let files = try Self.files()
        defer { files.remove() }
        func handOff(in database: Int, by password: String) async throws -> EnqueueExample.Answer {
            let login = ["--user", "handoff", "--pass", password, "--no-auth-warning", "-n", "\(database)"]
            return try await Self.run(
                example, files, url: "\(server.url)?user=handoff&password=\(password)&db=\(database)",
                client: server.cliAddress + login)
        }
        try await QueueFixture.with(server) { fixture in
            for (database, password, fault) in [(1, "secret", "NOPERM"), (0, "wrong", "WRONGPASS")] {
                let refused = try await handOff(in: database, by: password)
                #expect(refused.exitCode == 70 && refused.told != nil, "\(refused)")
                #expect(refused.lines.count == 1, "\(refused)")
                #expect(refused.output.hasPrefix("\(example.rawValue): \(fault) "), "\(refused)")
                #expect(try await fixture.redis("DBSIZE").int == 0, "\(fault)")
            }
            let accepted = try await handOff(in: 0, by: "secret")
            #expect(accepted.exitCode == 0 && accepted.words.first == "accepted", "\(accepted)")
        }
        try await server.stop()
    }

    /// Each of its calls has a connection of its own, the last one too.
    @Test(arguments: [
        ("NOPERM this user has no permissions to run the 'select' command", Int32(70)),
        ("ERR max number of clients reached", 75),
    ])
    func `the shell example believes no answer of a database that it was not told`(
        fault: String, exitCode: Int32
    ) async throws {
        let files = try Self.files()
        defer { files.remove() }
        let redis = files.directory.appending(path: "redis")
        try Data(
            """
            case " $* " in
            *" HGET "*) echo ;;
            *" SET "*) cat >/dev/null; echo OK ;;
            *) cat >/dev/null; echo "SELECT 1 failed: \(fault)" >&2; printf 'accepted\\n%s\\n' \(Self.other) ;;
            esac

            """.utf8
        ).write(to: redis)
        let answer = try await EnqueueExample.shell.run(
            [Self.device] + files.shellArguments, environment: ["REDIS_CLI": "sh \(redis.path)"])
        #expect(answer.exitCode == exitCode && answer.told != nil, "\(answer)")
        #expect(answer.lines == ["enqueue.sh: \(fault)"], "\(answer)")
    }

    /// The function takes captures where no id is kept, as in an unused database.
    @Test(arguments: EnqueueExample.allCases)
    func `the queue of another installation, or of none, gets nothing where the installation is told`(
        example: EnqueueExample
    ) async throws {
        let server = try await PrivateRedis.start()
        let files = try Self.files()
        defer { files.remove() }
        func handOff() async throws -> EnqueueExample.Answer {
            try await Self.run(
                example, files, url: server.url, client: server.cliAddress, installation: Self.own.uppercased())
        }
        let why = "\(example.rawValue): the queue is not that installation's: {cq:0}:limits has"
        try await QueueFixture.with(server) { fixture in
            let unused = try await handOff()
            #expect(unused.exitCode == 70 && unused.lines == ["\(why) no id"], "\(unused)")
            #expect(try await fixture.redis("DBSIZE").int == 0)
            try await fixture.redis("HSET", "{cq:0}:limits", "installation", .string(Self.other))
            let strange = try await handOff()
            #expect(strange.exitCode == 70 && strange.lines == ["\(why) \(Self.other)"], "\(strange)")
            #expect(try await fixture.redis("DBSIZE").int == 1, "the limits")
            try await fixture.redis("HSET", "{cq:0}:limits", "installation", .string(Self.own))
            let accepted = try await handOff()
            #expect(accepted.exitCode == 0 && accepted.words.first == "accepted", "\(accepted)")
        }
        try await server.stop()
    }

    /// A connection may lead elsewhere by then.
    @Test(arguments: EnqueueExample.allCases)
    func `the call asks once more whose queue it is`(example: EnqueueExample) async throws {
        let files = try Self.files()
        defer { files.remove() }
        let key = "{cq:0}:installation:\(Self.own)"
        let refusal = "OTHER_INSTALLATION {cq:0}:limits has the id \(Self.other)"
        try await FakeRedis.with(
            logIn: nil,
            { request in
                let words = String(buffer: request).components(separatedBy: "\r\n")
                if words.contains("HGET") { return ByteBuffer(string: "$36\r\n\(Self.own)\r\n") }
                let asks = words.contains("FCALL") && words.contains("8") && words.contains(key)
                return ByteBuffer(string: asks ? "-\(refusal)\r\n" : "+OK\r\n")
            }
        ) { server in
            let answer = try await Self.run(
                example, files, url: server.url, client: ["-u", server.url], installation: Self.own)
            #expect(answer.exitCode == 70 && answer.told != nil, "\(answer)")
            #expect(answer.lines == ["\(example.rawValue): \(refusal)"], "\(answer)")
        }
    }

    /// An empty one is as where a deployment's variable is not set: nobody would be asked.
    @Test(arguments: [(EnqueueExample.python, Int32(2)), (.shell, 64)])
    func `an installation that is no id is bad usage`(example: EnqueueExample, exitCode: Int32) async throws {
        let files = try Self.files()
        defer { files.remove() }
        for installation in ["", "x", "\(Self.own)\n\(Self.own)"] {
            // A server that nobody asks.
            let answer = try await Self.run(
                example, files, url: "redis://127.0.0.1:1", client: ["-p", "1"], installation: installation)
            #expect(answer.exitCode == exitCode && answer.told == nil, "\(answer)")
            // Python's words for any bad usage name each option.
            let words = example == .python ? "argument --installation" : "installation"
            #expect(answer.output.lowercased().contains(words), "\(answer)")
        }
    }
}
