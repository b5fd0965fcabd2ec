import CaptureOperations
import CaptureQueue
import Testing

@testable import RedisCaptureQueue
@testable import capturectl

@Suite("What came of the doctor's repair")
struct RepairOutcomeTests {
    private static let findings = ["1", "2"].map { QueueFinding(.bundleNotKnown, $0, partition: 0) }

    /// A look that found two bundles, and one after it that a fault of Redis ended.
    private func looks() throws -> [Doctor.View] {
        let stop = StopRequest("stops")
        var examination = QueueExamination()
        for finding in Self.findings { examination.note(finding) }
        var before = Doctor.View(stop: stop)
        before.examination = examination
        before.report.checks = DoctorReport.checks(of: examination)
        before.conclude(hasFiles: false)
        var after = Doctor.View(stop: stop)
        try after.note(ServerFault.queue(QueueError(.unavailable, "gone")))
        after.conclude(hasFiles: false)
        return [before, after]
    }

    @Test(arguments: 0...2)
    func `what a fault kept from being looked at again is told as it was, with what was repaired`(
        count: Int
    ) throws {
        var outcome = RepairOutcome()
        outcome.noted = Self.findings.map { Repairable($0) }
        outcome.done = Set(outcome.noted.prefix(count))
        outcome.fault = .queue(QueueError(.unavailable, "gone"))
        #expect(outcome.missed == Array(outcome.noted.dropFirst(count)))
        let report = outcome.report(try looks())
        let bundles = try #require(report.checks.first { $0.name == DoctorReport.bundles })
        let words = ["2 × BUNDLE_NOT_KNOWN", "2 × BUNDLE_NOT_KNOWN; 1 repaired", "was: 2 × BUNDLE_NOT_KNOWN"]
        #expect(bundles.found == words[count] && bundles.state == (count == 2 ? .repaired : .problem))
        #expect(report.checks.first?.name == DoctorReport.redis && report.fault != nil && !report.isHealthy)
        #expect(report.remarks == ["a fault came between: \(count) of 2 repaired"])
    }

    @Test func `what nobody knows, and what is gone by itself, is not missed`() {
        var outcome = RepairOutcome()
        outcome.noted = Self.findings.map { Repairable($0) }
        outcome.unknown = [outcome.noted[0]]
        outcome.gone = [outcome.noted[1]]
        #expect(outcome.missed.isEmpty)
    }
}
