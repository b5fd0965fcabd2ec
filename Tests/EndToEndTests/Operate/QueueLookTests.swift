import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("capturectl stats and capturectl watch", .timeLimit(.minutes(2)))
struct QueueLookTests {
    private static let away = ["CAPTURE_REDIS_URL": "redis://127.0.0.1:1", "TERM": "xterm"]

    @Test func `capturectl stats and watch load no functions where some are missing, and say what does`() async throws {
        let stack = try await Stack.start()
        try await stack.redis.cli("FUNCTION", "FLUSH")
        for command in [["stats"], ["watch", "--count", "1"]] {
            let run = try await stack.capturectl(command)
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

    /// Who writes them to a file has to place each of them in time, and to find the outage.
    @Test func `each object of watch has its time, and that of a look without an answer has the fault`() async throws {
        let stack = try await Stack.start()
        let watch = try LeashedProcess(
            Programs.path("capturectl"), ["watch", "--interval", "0.2", "--json"], environment: stack.environment)
        let (good, bad) = ("\"fault\":null", "\"fault\":\"Redis refuses: ")
        try await watch.line(containing: good)
        try await stack.redis.cli("FUNCTION", "FLUSH")
        try await watch.line(containing: bad)
        #expect(try await stack.capturectl("migrate").exitCode == 0)
        let seen = watch.output.split(separator: "\n").count { $0.contains(good) }
        try await eventually { watch.output.split(separator: "\n").count { $0.contains(good) } > seen }
        watch.signal(SIGTERM)
        _ = try await watch.exitCode()
        // Beside what the error stream says.
        let lines = watch.output.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(lines.count >= 3)
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect((object["at"] as? String).flatMap { Timestamp(rfc3339: $0) } != nil, "\(line)")
            #expect((object["captures_max"] != nil) == (object["fault"] is NSNull), "\(line)")
        }
    }

    @Test
    func `capturectl stats and watch are refused where the queue has another number of partitions, as all deeds are`()
        async throws
    {
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_PARTITIONS": "4"])
        let worker = try stack.worker()
        try await worker.line(containing: "worker is ready")
        try await stack.redis.cli("HSET", "{cq:0}:stats", "queued", "70")
        let environment = stack.environment.merging(["CAPTURE_QUEUE_PARTITIONS": "1"]) { $1 }
        for command in [
            ["stats"], ["watch", "--count", "1"], ["pause"], ["resume"], ["dead", "list"],
            ["dead", "redrive", "--all", "--yes"],
        ] {
            let run = try await LeashedProcess.run(Programs.path("capturectl"), command, environment: environment)
            #expect(run.exitCode == 70, "\(run.output)")
            #expect(run.output.contains("queue.partitions is 1, and the queue cq has 4"), "\(run.output)")
        }
        #expect(try await stack.redis.cli("KEYS", "*:paused").isEmpty)
        let doctor = try await LeashedProcess.run(
            Programs.path("capturectl"), ["doctor", "--fix"], environment: environment)
        #expect(doctor.exitCode == 1, "\(doctor.output)")
        #expect(try await stack.redis.cli("HGET", "{cq:0}:stats", "queued") == "70", "nothing was repaired")
        try await worker.expectStop()
    }

    @Test(arguments: [["stats", "--json"], ["watch", "--json", "--count", "1"], ["watch", "--count", "1"]])
    func `capturectl stats and watch end with 69 where the last look found no Redis, and name it`(command: [String])
        async throws
    {
        let run = try await CommandLineRun(command, environment: Self.away)
        #expect(run.exitCode == 69, "\(run.output)")
        // An object for each look, and what the other two print is only what they found.
        #expect(run.output.split(separator: "\n").count == (command.count > 3 ? 1 : 0), "\(run.output)")
        #expect(run.errors.contains("capturectl: Redis: ") && run.errors.hasSuffix(" (127.0.0.1:1)\n"), "\(run.errors)")
    }

    /// What scrolls is not drawn in place any more.
    @Test(arguments: [(24, 80), (10, 40)])
    func `watch draws no more than the terminal shows`(rows: Int, columns: Int) async throws {
        let stack = try await Stack.start()
        let watch = "stty rows \(rows) cols \(columns); exec \(Programs.path("capturectl")) watch --count 1"
        let run = try await LeashedProcess.run(
            "script", ["-qec", watch, "/dev/null"], environment: stack.environment.merging(["TERM": "xterm"]) { $1 })
        #expect(run.exitCode == 0 && run.output.contains("queued") && run.output.contains("Ctrl-C"), "\(run.output)")
        let lines = run.output.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "").split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        #expect(lines.count <= rows && lines.allSatisfy { $0.count <= columns }, "\(lines)")
    }

    /// One line that never changes would look like a watch that hangs.
    @Test func `watch says on a terminal when it looked in vain, and how it ends`() async throws {
        let command = "\(Programs.path("capturectl")) watch --count 1"
        let run = try await LeashedProcess.run("script", ["-qec", command, "/dev/null"], environment: Self.away)
        #expect(run.exitCode == 69 && run.output.contains("Redis is away"), "\(run.output)")
        #expect(run.output.contains(/\dZ   Ctrl-C ends/), "\(run.output)")
    }

    @Test func `watch steers no terminal that cannot be steered`() async throws {
        let stack = try await Stack.start()
        let command = "\(Programs.path("capturectl")) watch --count 2 --interval 0.2"
        let run = try await LeashedProcess.run(
            "script", ["-qec", command, "/dev/null"], environment: stack.environment.merging(["TERM": "dumb"]) { $1 })
        #expect(run.exitCode == 0 && !run.output.contains("\u{1B}"), "\(run.output)")
        #expect(run.output.split(whereSeparator: \.isNewline).count == 2, "\(run.output)")
    }

    @Test func `capturectl stats and watch draw nothing between objects, on a terminal either`() async throws {
        let command = "\(Programs.path("capturectl")) watch --json --count 1"
        let run = try await LeashedProcess.run("script", ["-qec", command, "/dev/null"], environment: Self.away)
        #expect(run.exitCode == 69 && run.output.contains("Redis is away"), "\(run.output)")
        #expect(!run.output.contains("\u{1B}"), "\(run.output)")
    }
}
