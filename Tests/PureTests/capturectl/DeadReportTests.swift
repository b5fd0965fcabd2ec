import CaptureModel
import CaptureOperations
import CaptureQueue
import FoundationEssentials
import TestSupport
import Testing

@testable import capturectl

@Suite("The report of a command on dead letters")
struct DeadReportTests {
    @Test func `a report on dead letters has each member of the outcome, beside the selection`() throws {
        var maker = SubmissionMaker(seed: 51)
        let device = maker.device()
        let ids = (0..<6).map { _ in maker.submission(of: device).id }
        var report = DeadReport([], isDryRun: false)
        report.outcome.missing = [ids[0]]
        var outcome = QueueActions.Outcome()
        outcome.done = 7
        outcome.missing = [ids[1]]
        outcome.interrupted = [ids[2], ids[3]]
        outcome.unknown = [ids[4]]
        outcome.rowless = [ids[4], ids[5]]
        outcome.isAuditAhead = true
        outcome.leftToSweepMax = 3
        report.outcome.add(outcome)
        report.isStopped = true
        let members = [
            "\"audit_ahead\":true", "\"bytes_gone\":0", "\"bytes_not_found\":0", "\"declined\":false", "\"done\":7",
            "\"dry_run\":false", "\"groups\":[]", "\"interrupted\":2", "\"jobs_lost\":0",
            "\"left_to_sweep_max\":3", "\"missing\":[\"\(ids[0])\",\"\(ids[1])\"]",
            "\"rowless\":[\"\(ids[4])\",\"\(ids[5])\"]", "\"selected\":0", "\"selected_bytes\":0", "\"stopped\":true",
            "\"unknown\":[\"\(ids[4])\"]",
        ]
        let json = try JSONText.write(report)
        #expect(json == "{\(members.joined(separator: ","))}")
        let lines = report.text(of: .discard).split(separator: "\n").map(String.init)
        let words = [
            "not discarded, as it was told to stop: 2", "outcome unknown: \(ids[4])",
            "there is no row in the ledger any more, should Redis lose it: \(ids[4])",
            "there is no row in the ledger any more, should Redis lose it: \(ids[5])",
            "the audit also lists some of them as discarded; correcting it failed",
            "bytes of up to 3 could not be removed from here; workers sweep them later",
            "no dead letter: \(ids[0])", "no dead letter: \(ids[1])",
        ]
        #expect(lines == words)
    }

    @Test func `a report tells why dead letters were given up, and of how many bytes or jobs are lost`() throws {
        var maker = SubmissionMaker(seed: 52)
        let device = maker.device()
        func letter(_ bytes: DeadLetter.Bytes, _ fault: String, photoBytes: Int? = 1000) -> DeadLetter {
            let received = Timestamp(microsecondsSince1970: 0)
            var status = JobStatus(lost: maker.submission(of: device).id, of: device, receivedAt: received)
            (status.state, status.reason, status.fault) = (.failed, .bundleMissing, fault)
            return DeadLetter(
                status: status, diedAt: received, deliveries: 1, photoBytes: photoBytes, depthBytes: 10,
                bundleStore: .filesystem, bytes: bytes)
        }
        let letters = [
            letter(.gone, "nowhere"), letter(.gone, "nowhere"), letter(.notFound, "nowhere"),
            letter(.unknown, "odd", photoBytes: nil), letter(.kept, "odd"),
        ]
        let report = DeadReport(letters, isDryRun: true)
        #expect(report.groups.map(\.captures) == [3, 2] && report.groups.map(\.fault) == ["nowhere", "odd"])
        #expect(report.groups.map(\.reason) == ["BUNDLE_MISSING", "BUNDLE_MISSING"])
        let json = try JSONText.write(report)
        for member in ["\"bytes_gone\":2", "\"bytes_not_found\":1", "\"jobs_lost\":1", "\"selected_bytes\":1010"] {
            #expect(json.contains(member), "\(json)")
        }
    }
}
