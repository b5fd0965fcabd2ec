import Foundation
import TestSupport
import Testing

@Suite("capturectl bench", .timeLimit(.minutes(5)))
struct BenchCommandTests {
    private static let settings = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Config").path

    private func bench(_ arguments: [String]) async throws -> (exitCode: Int32, output: String) {
        try await LeashedProcess.run(
            Programs.path("capturectl"), ["bench"] + arguments + ["--settings", Self.settings])
    }

    @Test func `a drain verifies every capture on servers of its own and tells what each part used`() async throws {
        let result = try await bench([
            "drain", "--devices", "5", "--captures", "20", "--workers", "1,2", "--json",
        ])
        #expect(result.exitCode == 0, "\(result.output)")
        let line = try #require(result.output.split(separator: "\n").last { $0.hasPrefix("{") })
        let report = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
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

    @Test(arguments: [
        ["drain", "--devices", "0"], ["drain", "--devices", "10", "--captures", "9"], ["drain", "--size", "100"],
        ["drain", "--workers", "1,0"], ["drain", "--size", "3MB", "--captures", "100000"],
    ])
    func `what cannot be measured is bad usage`(arguments: [String]) async throws {
        #expect(try await bench(arguments).exitCode == 64)
    }
}
