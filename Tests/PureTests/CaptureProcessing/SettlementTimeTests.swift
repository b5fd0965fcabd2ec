import CaptureModel
import CaptureQueue
import CoreMetrics
import DeviceSimulator
import Foundation
import Observability
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("What is told of a settlement")
struct SettlementTimeTests {
    private static func capture(
        isRedriven: Bool, _ generator: inout SeededGenerator, rollout: RolloutRuling? = nil
    ) throws -> ExaminedCapture {
        guard case .valid(let job) = Work.job(bytes: 1, generator: &generator) else { throw Malformed() }
        let again = CaptureJob(
            submission: job.submission, receivedAt: job.receivedAt, claimedAt: job.claimedAt, attempts: 1,
            isRedriven: isRedriven)
        return try #require(Work.capture(.valid(again), rollout: rollout))
    }

    private struct Malformed: Error {}

    /// It has waited for the operator, and not for the workers.
    @Test func `the time of a settlement is not told of a capture that an operator has put back`() throws {
        var generator = SeededGenerator(seed: 9)
        let captures = [
            try Self.capture(isRedriven: false, &generator), try Self.capture(isRedriven: true, &generator),
        ]
        let settled = captures.map(\.job.id).map { id in
            (id, SettledCapture(id: id, decision: .verified, wasSettledBefore: false))
        }
        let decided = BatchDecision(settled: Dictionary(uniqueKeysWithValues: settled))
        let end = captures[0].job.receivedAt.advanced(by: .seconds(7))
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) { WorkerMetrics.settled(captures, decided, at: end) }
        let exposition = try StrictExposition(registry.render())
        #expect(exposition.value("capture_jobs_total", ["result": "verified", "reason": ""]) == "2")
        #expect(exposition.value("capture_settlement_seconds_count") == "1")
        #expect(exposition.value("capture_settlement_seconds_sum") == "7")
    }

    /// As after each crash between commit and settlement.
    @Test func `a settlement is told once of a capture, and so is all else that is counted of it`() throws {
        var generator = SeededGenerator(seed: 10)
        let ruling = RolloutRuling(
            policy: .hash([]), mode: .enforce, bucket: 1, bucketsWithin: 5000,
            facts: .init(osVersion: nil, bundleVersion: nil, validationCategory: nil), unmet: [])
        let capture = try Self.capture(isRedriven: false, &generator, rollout: ruling)
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) {
            for wasSettledBefore in [false, true] {
                let settled = SettledCapture(
                    id: capture.job.id, decision: .verified, wasSettledBefore: wasSettledBefore)
                WorkerMetrics.settled(
                    [capture], BatchDecision(settled: [capture.job.id: settled]), at: capture.job.receivedAt)
            }
        }
        let told = try StrictExposition(registry.render())
        #expect(told.value("capture_jobs_total", ["result": "verified", "reason": ""]) == "1")
        #expect(told.value("capture_settlement_seconds_count") == "1")
        let accepted = ["subject": "capture", "mode": "enforce", "outcome": "accepted"]
        #expect(told.value("capture_rollout_rulings_total", accepted) == "1")
    }

    /// An alert stands on bytes that cannot be read, or that have changed.
    @Test(arguments: [(nil, "server"), (.bundleCorrupt, "bundle")] as [(Reason?, String)])
    func `a lane that is put off is counted by whose fault it is`(reason: Reason?, label: String) throws {
        let registry = PrometheusRegistry()
        withMetricsFactory(registry) {
            WorkerMetrics.givenBack(
                LaneSettlement(
                    token: LaneToken(text: "1-0", partition: 0), device: DeviceID(UUID()), items: [],
                    continuation: .delayed(.seconds(1), reason: reason, fault: "of the test")))
        }
        let told = try StrictExposition(registry.render())
        for each in ["server", "bundle"] {
            let count = told.value("capture_retries_total", ["reason": each])
            #expect(count == (each == label ? "1" : "0"), "\(each)")
        }
    }
}
