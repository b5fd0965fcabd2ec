import CaptureOperations
import CaptureQueue
import Testing

@testable import RedisCaptureQueue
@testable import capturectl

@Suite("What came of the doctor's repair")
struct RepairOutcomeTests {
    private static let findings = ["1", "2"].map { QueueFinding(.bundleNotKnown, $0, partition: 0) }

    private func look(finding findings: [QueueFinding]) -> Doctor.View {
        var examination = QueueExamination()
        for finding in findings { examination.note(finding) }
        var view = Doctor.View(stop: StopRequest("stops"))
        view.examination = examination
        view.report.checks = DoctorReport.checks(of: examination)
        view.conclude(hasFiles: false)
        return view
    }

    /// A look that found two bundles, and one after it that a fault of Redis ended.
    private func looks() throws -> [Doctor.View] {
        var after = Doctor.View(stop: StopRequest("stops"))
        try after.note(ServerFault.queue(QueueError(.unavailable, "gone")))
        after.conclude(hasFiles: false)
        return [look(finding: Self.findings), after]
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

    /// As the token of a lane that was emptied by making a dead letter of its only capture.
    @Test func `what only another repair has made wrong for a moment is not told as repaired`() {
        let lost = QueueFinding(.laneEntryWithoutJob, "1", partition: 0)
        var outcome = RepairOutcome()
        outcome.noted = [Repairable(lost)]
        outcome.done = [Repairable(lost), Repairable(QueueFinding(.tokenWithoutLane, "2", partition: 0))]
        let report = outcome.report([look(finding: [lost]), look(finding: [])])
        let lines = Dictionary(report.checks.map { ($0.name, $0) }) { first, _ in first }
        let (jobs, tokens) = (lines[DoctorReport.jobs], lines[DoctorReport.tokens])
        #expect(jobs?.state == .repaired && jobs?.found == "was: 1 × LANE_ENTRY_WITHOUT_JOB")
        // Of what was repaired: nobody has looked before.
        #expect(jobs?.examples == ["1"] && jobs?.meaning == QueueFault.laneEntryWithoutJob.meaning)
        #expect(jobs?.repair == QueueFault.laneEntryWithoutJob.repair)
        #expect(tokens?.state == .ok && tokens?.found == "0 lanes, one token each")
    }

    @Test func `what nobody knows, and what is gone by itself, is not missed`() {
        var outcome = RepairOutcome()
        outcome.noted = Self.findings.map { Repairable($0) }
        outcome.unknown = [outcome.noted[0]]
        outcome.gone = [outcome.noted[1]]
        #expect(outcome.missed.isEmpty)
    }
}
