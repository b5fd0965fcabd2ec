import CaptureModel
import TestSupport
import Testing

@testable import RedisCaptureQueue
@testable import capturectl

/// Millions of things may be wrong: a look keeps as many as one repair takes, and says that there are more.
@Suite("The bounds of what the doctor keeps")
struct DoctorBoundsTests {
    private func look(at examination: QueueExamination) -> Doctor.View {
        var view = Doctor.View(stop: StopRequest("stops"))
        view.examination = examination
        view.report.checks = DoctorReport.checks(of: examination)
        return view
    }

    private func line(_ name: String, of view: Doctor.View) throws -> DoctorCheck {
        try #require(view.report.checks.first { $0.name == name })
    }

    @Test func `a fault that was found more often than is kept is not told as repaired with what is kept`() throws {
        var examination = QueueExamination(findingsMax: 2)
        for subject in ["1", "2", "2", "1"] { examination.note(QueueFinding(.bundleNotKnown, subject, partition: 0)) }
        #expect(examination.findings.count == 2 && examination.crowded.isEmpty)
        let whole = look(at: examination)
        #expect(try line(DoctorReport.bundles, of: whole).found == "2 × BUNDLE_NOT_KNOWN" && !whole.hasRest)
        let repairs = Set(examination.findings.map { Repairable($0) })
        #expect(whole.isRepaired(DoctorReport.bundles, by: repairs))

        examination.note(QueueFinding(.bundleNotKnown, "3", partition: 0))
        examination.note(QueueFinding(.bundleOfNothing, "4", partition: 0))
        #expect(examination.findings.map(\.subject) == ["1", "2", "4"])
        let part = look(at: examination)
        let bundles = try line(DoctorReport.bundles, of: part)
        #expect(bundles.found == "more than 2 × BUNDLE_NOT_KNOWN, 1 × BUNDLE_OF_NOTHING", "\(bundles.found)")
        #expect(bundles.repair?.hasSuffix(DoctorReport.rest) == true && part.hasRest)
        #expect(!part.isRepaired(DoctorReport.bundles, by: Set(examination.findings.map { Repairable($0) })))
    }

    @Test func `no further --fix is promised for more than is kept of what none repairs`() throws {
        var examination = QueueExamination(findingsMax: 1)
        for subject in ["1", "2"] { examination.note(QueueFinding(.jobWithoutBytes, subject, partition: 0)) }
        let view = look(at: examination)
        let bytes = try line(DoctorReport.bytes, of: view)
        #expect(bytes.found == "more than 1 × JOB_WITHOUT_BYTES" && !view.hasRest, "\(bytes.found)")
        #expect(bytes.repair == QueueFault.jobWithoutBytes.repair, "\(bytes.repair ?? "nothing")")
    }

    /// While their statuses stay, their bytes look like leftovers of settled captures, and may be the only ones.
    @Test func `of lost statuses beyond those that are kept nothing is repaired before these are forgotten`() {
        var maker = SubmissionMaker(seed: 70)
        let captures = (0..<4).map { _ in maker.submission(of: maker.device()).id }
        var examination = QueueExamination()
        for capture in [captures[1], captures[3]] {
            examination.note(QueueFinding(.settledWithBytes, "\(capture)", partition: 0))
        }
        let subjects = Set(examination.findings.map(\.subject))
        var view = look(at: examination)
        view.settledLost = LostStatuses(keptMax: 2)
        for capture in captures.prefix(2) + captures.prefix(2) {
            view.settledLost.add(capture, partition: 0, subjects: subjects)
        }
        #expect(!view.settledLost.hasMore && !view.hasRest)
        let forgotten = Set(captures.prefix(2).map { Repairable(status: $0) })
        #expect(view.isRepaired(DoctorReport.statuses, by: forgotten))

        for capture in captures.suffix(2) { view.settledLost.add(capture, partition: 0, subjects: subjects) }
        #expect(view.settledLost.kept.map(\.capture) == Array(captures.prefix(2)))
        #expect(view.settledLost.hasMore && view.hasRest)
        #expect(view.settledLost.untouchable == ["\(captures[3])"])
        #expect(!view.isRepaired(DoctorReport.statuses, by: forgotten))

        let needed = [
            DoctorReport.schema, DoctorReport.library, DoctorReport.partitions, DoctorReport.installation,
            DoctorReport.recordWrites,
        ]
        for name in needed { view.add(.ok(name, "well")) }
        let repairs = Set(view.repairs)
        #expect(repairs.isSuperset(of: forgotten))
        #expect(repairs.subtracting(forgotten) == [Repairable(examination.findings[0])])
    }
}
