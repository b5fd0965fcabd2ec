import Foundation
import TestSupport
import Testing

@Suite("capturectl stats and capturectl watch", .timeLimit(.minutes(2)))
struct QueueLookTests {
    private static let away = ["CAPTURE_REDIS_URL": "redis://127.0.0.1:1", "TERM": "xterm"]

    @Test func `load no functions where some are missing, and say what does`() async throws {
        let stack = try await Stack.start()
        try await stack.redis.cli("FUNCTION", "FLUSH")
        for command in [["stats"], ["watch", "--count", "1"]] {
            let run = try await LeashedProcess.run(
                Programs.path("capturectl"), command, environment: stack.environment)
            #expect(run.exitCode == 70 && run.output.contains("capturectl migrate loads them"), "\(run.output)")
        }
        #expect(try await stack.redis.cli("FUNCTION", "LIST").isEmpty)
    }

    @Test func `watch goes on where Redis loses its functions`() async throws {
        let stack = try await Stack.start()
        let watch = try LeashedProcess(
            Programs.path("capturectl"), ["watch", "--interval", "0.2"], environment: stack.environment)
        try await watch.line(containing: "queued")
        try await stack.redis.cli("FUNCTION", "FLUSH")
        try await watch.line(containing: "Redis refuses")
        #expect(try await stack.capturectl("migrate").exitCode == 0)
        let seen = watch.output.split(separator: "\n").count { $0.contains("queued") }
        try await eventually { watch.output.split(separator: "\n").count { $0.contains("queued") } > seen }
        watch.signal(SIGTERM)
        _ = try await watch.exitCode()
    }

    @Test(arguments: [["stats", "--json"], ["watch", "--json", "--count", "1"], ["watch", "--count", "1"]])
    func `end with 69 where the last look found no Redis, and name it`(command: [String]) async throws {
        let run = try await CommandLineRun(command, environment: Self.away)
        #expect(run.exitCode == 69 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.contains("capturectl: Redis: ") && run.errors.hasSuffix(" (127.0.0.1:1)\n"), "\(run.errors)")
    }

    @Test func `draw nothing between objects, on a terminal either`() async throws {
        let command = "\(Programs.path("capturectl")) watch --json --count 1"
        let run = try await LeashedProcess.run("script", ["-qec", command, "/dev/null"], environment: Self.away)
        #expect(run.exitCode == 69 && run.output.contains("Redis is away"), "\(run.output)")
        #expect(!run.output.contains("\u{1B}"), "\(run.output)")
    }
}
