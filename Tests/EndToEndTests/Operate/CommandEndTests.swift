import CaptureModel
import CaptureStore
import ChaosKit
import Foundation
import NIOCore
import NIOPosix
import PostgresCaptureStore
import TestSupport
import Testing

@Suite("Exit codes of a server's faults", .timeLimit(.minutes(2)))
struct CommandEndTests {
    /// A command of a stack, with settings of its own.
    private func run(
        _ command: String, _ stack: Stack, _ settings: [String: String] = [:]
    ) async throws -> (exitCode: Int32, output: String) {
        try await stack.capturectl(command.split(separator: " ").map(String.init), settings: settings)
    }

    @Test(arguments: ["pause", "doctor", "devices revoke"])
    func `the help says what 69 and 70 are`(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let help = try await LeashedProcess.run(Programs.path("capturectl"), words + ["--help"])
        let text = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let codes = "69 Redis or PostgreSQL cannot be reached or logged in to, or cannot do it now; "
        #expect(text.contains(codes + "70 one of them refuses for good;"), "\(text)")
    }

    @Test(arguments: ["stats", "doctor", "migrate"])
    func `settings that make no sense are 64, told in one line`(command: String) async throws {
        let run = try await CommandLineRun([command], environment: ["CAPTURE_QUEUE_LEASE": "nonsense"])
        #expect(run.exitCode == 64 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.hasPrefix("Error: queue.lease: 'nonsense' "), "\(run.errors)")
        #expect(run.errors.count { $0 == "\n" } == 1, "\(run.errors)")
    }

    @Test(arguments: [["CONFIG", "SET", "min-replicas-to-write", "1"], ["REPLICAOF", "127.0.0.1", "1"]])
    func `a Redis that refuses writes for now is 69`(refusal: [String]) async throws {
        let stack = try await Stack.start()
        let told = try await LeashedProcess.run("redis-cli", stack.redis.cliAddress + refusal)
        try #require(told.output.hasPrefix("OK"), "\(told.output)")
        // As long as connecting may take it looks for a primary.
        let paused = try await run("pause", stack, ["CAPTURE_REDIS_CONNECT_TIMEOUT": "2s"])
        #expect(paused.exitCode == 69 && paused.output.contains("Redis: "), "\(paused.output)")
    }

    @Test func `a PostgreSQL that refuses writes for now is 69`() async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { _, _, store in
            let device = try await Crowd.register(1, in: store).devices[0].id
            try await stack.postgres.psql(
                "ALTER DATABASE \(stack.databaseName) SET default_transaction_read_only = on")
            let revoked = try await run("devices revoke \(device) --reason lost --yes", stack)
            #expect(revoked.exitCode == 69 && revoked.output.contains("read-only"), "\(revoked.output)")
        }
    }

    /// The clients name neither apart from a server that is not there.
    @Test func `a server that lets nobody in is 69`() async throws {
        let stack = try await Stack.start()
        let url = "\(stack.redis.url)?user=nobody&password=wrong"
        // The time to connect is waited out.
        let stats = try await run("stats", stack, ["CAPTURE_REDIS_URL": url, "CAPTURE_REDIS_CONNECT_TIMEOUT": "2s"])
        #expect(stats.exitCode == 69 && stats.output.contains("Redis: "), "\(stats.output)")
        let missing = stack.postgres.conninfo(database: "none")
        let list = try await run("devices list", stack, ["CAPTURE_POSTGRES_URL": missing])
        #expect(list.exitCode == 69 && list.output.contains("PostgreSQL: "), "\(list.output)")
    }

    @Test func `a server that is away is named once, and none is blamed for another`() async throws {
        let stack = try await Stack.start()
        let away = stack.environment.merging(["CAPTURE_POSTGRES_URL": "postgresql://127.0.0.1:1/none"]) { $1 }
        let words =
            "Connection refused; Is the server running on that host and accepting TCP/IP connections? "
            + "(database none at 127.0.0.1:1)\n"
        let list = try await CommandLineRun(["devices", "list"], environment: away)
        #expect(list.exitCode == 69 && list.errors == "capturectl: PostgreSQL: " + words, "\(list.errors)")
        let lead = "capturectl: PostgreSQL: nothing is done to a queue of which it does not say whose it is: "
        for command in [["pause"], ["dead", "redrive", "--all", "--yes"]] {
            let run = try await CommandLineRun(command, environment: away)
            #expect(run.exitCode == 69 && run.output.isEmpty && run.errors == lead + words, "\(run.errors)")
        }
        let stats = try await CommandLineRun(["stats"], environment: ["CAPTURE_REDIS_URL": "redis://127.0.0.1:1"])
        #expect(stats.errors.components(separatedBy: "127.0.0.1:1").count == 2, "\(stats.errors)")
    }

    @Test func `of two hosts the first of which says nothing a command reaches the second`() async throws {
        let stack = try await Stack.start()
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(silent.localAddress?.port)
        let hosts = "host=127.0.0.1,\(stack.postgres.directory.path) port=\(port),\(stack.postgres.port)"
        // Half of it is the second one's: time for a busy machine as well.
        let settings = [
            "CAPTURE_POSTGRES_URL": "\(hosts) user=capture dbname=\(stack.databaseName)",
            "CAPTURE_POSTGRES_CONNECT_TIMEOUT": "20s",
        ]
        let list = try await run("devices list", stack, settings)
        #expect(list.exitCode == 0, "\(list.output)")
        try await silent.close()
    }

    /// A fork, a slow disk or a handshake over a slow line may hold it up.
    @Test func `a Redis that is slow to let somebody in has as long as connecting may take`() async throws {
        let redis = try await PrivateRedis.start()
        let stack = try await Stack.start(redis: redis)
        let link = try await Link.open(to: redis.directory.appendingPathComponent("redis.sock").path)
        link.slowDown(by: .milliseconds(400))
        for (limit, code) in [("30s", Int32(0)), ("500ms", 69)] {
            let stats = try await run(
                "stats", stack,
                [
                    "CAPTURE_REDIS_URL": "redis://127.0.0.1:\(link.port)", "CAPTURE_REDIS_CONNECT_TIMEOUT": limit,
                    "CAPTURE_REDIS_SEND_TIMEOUT": "100ms", "CAPTURE_REDIS_COMMAND_TIMEOUT": "30s",
                ])
            #expect(stats.exitCode == code, "\(limit): \(stats.output)")
        }
        await link.close()
    }

    @Test func `a database without the schema is 70, and says what to do`() async throws {
        let stack = try await Stack.start()
        let list = try await run(
            "devices list", stack, ["CAPTURE_POSTGRES_URL": try await stack.postgres.createDatabase()])
        #expect(list.exitCode == 70, "\(list.output)")
        #expect(list.output.contains("its schema is not this release's: capturectl doctor"), "\(list.output)")
    }

    @Test func `a Redis that forbids what it is asked for is 70`() async throws {
        let redis = try await PrivateRedis.start([
            "--user", "narrow", "on", ">x", "~*", "&*", "+@all", "-fcall", "-fcall_ro",
        ])
        let stack = try await Stack.start(redis: redis)
        let stats = try await run("stats", stack, ["CAPTURE_REDIS_URL": "\(redis.url)?user=narrow&password=x"])
        #expect(stats.exitCode == 70 && stats.output.contains("NOPERM"), "\(stats.output)")
    }
}
