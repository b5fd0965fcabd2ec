import AppAttest
import CaptureModel
import CoreMetrics
import Foundation
import Observability
import TestSupport
import Testing

@testable import Rollout

@Suite(.timeLimit(.minutes(1))) struct `Since when a policy is in force` {
    private static let example = AppID("ABCDE12345.com.example.app")!

    /// What the metrics say of a file that is kept up by somebody who is told to stop at once.
    private func exposition(of file: RolloutFile) async throws -> StrictExposition {
        let registry = PrometheusRegistry()
        await withMetricsFactory(registry) {
            let run = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await file.run()
            }
            _ = await run.result
        }
        return try StrictExposition(registry.render())
    }

    @Test func `answers and metrics name one moment`() async throws {
        // A clock on which no two moments are the same.
        let time = ManualTime()
        let now: TimeSource = {
            time.advance(by: .seconds(1))
            return time.now
        }
        let file = try await RolloutFile(
            path: Repository.directory.appendingPathComponent("Config/rollout.yaml").path, known: [Self.example],
            interval: .seconds(3600), now: now, logger: .quiet)
        let since = try #require(file.inForce.standing.since)
        let exposition = try await exposition(of: file)
        #expect(
            exposition.value("capture_rollout_in_force_since_seconds").flatMap(Double.init)
                == Double(since.microsecondsSince1970) / 1_000_000)
        #expect(exposition.value("capture_rollout_file_in_force") == "1")
    }

    @Test func `without a file there is no moment, and nothing in force`() async throws {
        let file = try await RolloutFile(
            path: nil, known: [Self.example], interval: .seconds(3600), now: ManualTime().source, logger: .quiet)
        #expect(file.inForce.standing.since == nil && file.inForce.policy == .none)
        let exposition = try await exposition(of: file)
        #expect(exposition.value("capture_rollout_in_force_since_seconds") == nil)
        #expect(exposition.value("capture_rollout_file_in_force") == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A program that is cut off, as it does not stop in its time` {
    /// Its end would be taken for a fault otherwise.
    @Test(arguments: [nil, "Config/rollout.yaml"] as [String?])
    func `a program that is cut off has no fault for that, with a file and without one`(path: String?) async throws {
        let example = try #require(AppID("ABCDE12345.com.example.app"))
        let file = try await RolloutFile(
            path: path.map { Repository.directory.appendingPathComponent($0).path }, known: [example],
            interval: .seconds(3600), now: ManualTime().source, logger: .quiet)
        let run = Task { try await file.run() }
        run.cancel()
        try await run.value
    }
}
