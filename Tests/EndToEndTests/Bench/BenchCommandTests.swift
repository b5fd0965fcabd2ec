import Foundation
import TestSupport
import Testing

@Suite("capturectl bench", .timeLimit(.minutes(5)))
struct BenchCommandTests {
    private static let settings = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Config").path

    private func bench(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (exitCode: Int32, output: String) {
        try await LeashedProcess.run(
            Programs.path("capturectl"), ["bench"] + arguments + ["--settings", Self.settings],
            environment: environment)
    }

    /// The JSON object behind what the command says about its progress.
    private func report(in output: String) throws -> [String: Any] {
        let line = try #require(output.split(separator: "\n").last { $0.hasPrefix("{") })
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func `a drain verifies every capture on servers of its own and tells what each part used`() async throws {
        let result = try await bench([
            "drain", "--devices", "5", "--captures", "20", "--workers", "1,2", "--json",
        ])
        #expect(result.exitCode == 0, "\(result.output)")
        let report = try report(in: result.output)
        let runs = try #require(report["runs"] as? [[String: Any]])
        #expect(runs.map { $0["workers"] as? Int } == [1, 2])
        for run in runs {
            #expect(run["captures"] as? Int == 20)
            #expect(try #require(run["captures_per_second"] as? Double) > 0)
            #expect(try #require(run["worker_peak_bytes"] as? Int) > 1 << 20)
            #expect(try #require(run["redis_peak_bytes"] as? Int) > 1 << 20)
            #expect(try #require(run["postgres_peak_bytes"] as? Int) > 1 << 20)
        }
    }

    @Test func `a drain beside many results says how many there were`() async throws {
        let result = try await bench([
            "drain", "--devices", "5", "--captures", "5", "--workers", "1", "--results", "20,40", "--json",
        ])
        #expect(result.exitCode == 0, "\(result.output)")
        let runs = try #require(try report(in: result.output)["runs"] as? [[String: Any]])
        #expect(runs.map { $0["results_before"] as? Int } == [20, 40])
    }

    /// The number of commands does not depend on the machine: a command more for each capture is found here.
    @Test func `a drain costs Redis few writes a capture`() async throws {
        let result = try await bench(["drain", "--devices", "20", "--captures", "640", "--workers", "1", "--json"])
        let report = try report(in: result.output)
        let run = try #require((report["runs"] as? [[String: Any]])?.first)
        // Claiming: state and message. Settling: state, what goes, two expiries, message. Lanes and batches: the rest.
        #expect(try #require(run["redis_writes_per_capture"] as? Double) < 9)
    }

    /// As many captures as cost several ticks of the clock that processor time is counted by.
    @Test func `a limit that is exceeded is a failure that says so`() async throws {
        let result = try await bench([
            "drain", "--devices", "20", "--captures", "640", "--workers", "1", "--worker-ratio-max", "0.001",
            "--worker-memory-max", "1MiB",
        ])
        #expect(result.exitCode == 1)
        #expect(result.output.contains("workers: ") && result.output.contains("more than 0.00"))
        #expect(result.output.contains("a worker's memory: ") && result.output.contains("more than 1 MiB"))
    }

    @Test func `captures at a fixed rate are timed to their published result`() async throws {
        // What the programs log elsewhere is no matter here: their first lines are waited for.
        let result = try await bench(
            ["latency", "--rate", "50", "--seconds", "1", "--devices", "5", "--json"],
            environment: ["CAPTURE_LOG_LEVEL": "warning"])
        #expect(result.exitCode == 0, "\(result.output)")
        let report = try report(in: result.output)
        #expect(report["captures"] as? Int == 50)
        #expect(report["warm_up_captures"] as? Int == 100)
        let accepted = try #require(report["accepted_after_ms"] as? [String: Double])
        let settled = try #require(report["settled_after_ms"] as? [String: Double])
        let worked = try #require(report["accepted_to_settled_ms"] as? [String: Double])
        #expect(try #require(accepted["p50"]) > 0)
        #expect(try #require(worked["p50"]) > 0 && worked["max"] ?? 0 < settled["max"] ?? 0)
        #expect(try #require(settled["p99.9"]) >= #require(settled["p50"]))
    }

    @Test func `a slow rate is warmed up for seconds, and not for as many captures`() async throws {
        let result = try await bench(["latency", "--rate", "4", "--seconds", "1", "--devices", "2", "--json"])
        #expect(result.exitCode == 0, "\(result.output)")
        let report = try report(in: result.output)
        #expect(report["captures"] as? Int == 4)
        #expect(report["warm_up_captures"] as? Int == 10, "at the rate that is measured, and not two hundred")
    }

    @Test func `uploads through a gateway are compared with what Redis stores`() async throws {
        let result = try await bench(
            ["ingest", "--size", "20000", "--connections", "2", "--captures", "10", "--json"],
            environment: ["CAPTURE_LOG_LEVEL": "warning"])
        #expect(result.exitCode == 0, "\(result.output)")
        let report = try report(in: result.output)
        #expect(report["uploads"] as? Int == 10)
        #expect(try #require(report["redis_benchmark_sets_per_second"] as? Double) > 0)
        #expect(try #require(report["gateway_peak_bytes"] as? Int) > 1 << 20)
    }

    @Test func `a bench that is killed leaves neither servers nor their data`() async throws {
        let folder = try TemporaryDirectory.make("bench")
        func left() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
        let drain = ["drain", "--devices", "5", "--captures", "20", "--workers", "1", "--settings", Self.settings]
        let bench = try LeashedProcess(
            Programs.path("capturectl"), ["bench"] + drain, environment: ["TMPDIR": folder.path])
        try await bench.line(containing: "registering 5 devices")
        #expect(try left().count == 2, "Redis's and PostgreSQL's")
        try await bench.kill()
        try await eventually { try left().isEmpty }
        try FileManager.default.removeItem(at: folder)
    }

    @Test(arguments: [
        ["latency", "--rate", "0"], ["ingest", "--connections", "9", "--captures", "8"],
        ["drain", "--devices", "0"], ["drain", "--devices", "10", "--captures", "9"], ["drain", "--size", "100"],
        ["drain", "--workers", "1,0"], ["drain", "--size", "3MB", "--captures", "100000"],
    ])
    func `what cannot be measured is bad usage`(arguments: [String]) async throws {
        #expect(try await bench(arguments).exitCode == 64)
    }
}
