import CaptureOperations
import CaptureStore
import TestSupport
import Testing

@Suite("What the audit says was done")
struct AuditTrailTests {
    @Test(
        arguments: [
            (["capture.discard"], 0), (["capture.discard.missed", "capture.discard"], nil),
            // Two at once: the first has done it, and the second has found nothing more.
            (["capture.discard.missed", "capture.discard", "capture.discard"], 2),
            (["capture.discard", "capture.discard.missed", "capture.discard"], 0),
            (["capture.redrive.missed", "capture.discard"], 1), (["capture.redrive"], nil), ([], nil),
        ] as [([String], Int?)])
    func `what the audit says was done is the latest that was not missed`(trail: [String], place: Int?) {
        let entries = trail.enumerated().map { place, action in
            AuditEntry(at: ManualTime().source(), actor: "\(place)", action: action, subject: "x")
        }
        #expect(entries.lastDone(of: [.captureDiscard])?.actor == place.map { "\($0)" })
    }

    @Test func `what the audit says was done has no names but those that DATA.md lists`() throws {
        let lines = try Repository.text("Config/deploy/DATA.md").split(separator: "\n")
        let row = try #require(lines.first { $0.hasPrefix("| `audit` |") })
        var (subject, names): (Substring, [String]) = ("", [])
        for match in row.matches(of: /`([a-z]*)\.([a-z]+)`/) where match.output.2 != "missed" {
            if !match.output.1.isEmpty { subject = match.output.1 }
            names.append("\(subject).\(match.output.2)")
        }
        #expect(names.sorted() == AuditAction.allCases.map(\.rawValue).sorted())
    }
}
