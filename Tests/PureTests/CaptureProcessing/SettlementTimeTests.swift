import CaptureModel
import CaptureQueue
import CoreMetrics
import DeviceSimulator
import Observability
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("The time from acceptance to settlement")
struct SettlementTimeTests {
    private static func capture(redriven: Bool, _ generator: inout SeededGenerator) throws -> VerifiedCapture {
        guard case .valid(let job) = Work.job(bytes: 1, generator: &generator) else { throw Malformed() }
        let again = CaptureJob(
            submission: job.submission, receivedAt: job.receivedAt, claimedAt: job.claimedAt, attempts: 1,
            redriven: redriven)
        return try #require(Work.capture(.valid(again)))
    }

    private struct Malformed: Error {}

    /// It has waited for the operator, and not for the workers.
    @Test func `is not told of a capture that an operator has put back`() throws {
        var generator = SeededGenerator(seed: 9)
        let captures = [
            try Self.capture(redriven: false, &generator), try Self.capture(redriven: true, &generator),
        ]
        let decisions = captures.map {
            ($0.job.id, SettledCapture(id: $0.job.id, verdict: .verified, reason: nil, settledBefore: false))
        }
        let end = captures[0].job.receivedAt.advanced(by: .seconds(7))
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) {
            WorkerMetrics.settled(captures, Dictionary(uniqueKeysWithValues: decisions), at: end)
        }
        let exposition = try StrictExposition(registry.render())
        #expect(exposition.value("capture_jobs_total", ["result": "verified", "reason": ""]) == "2")
        #expect(exposition.value("capture_settlement_seconds_count") == "1")
        #expect(exposition.value("capture_settlement_seconds_sum") == "7")
    }
}
