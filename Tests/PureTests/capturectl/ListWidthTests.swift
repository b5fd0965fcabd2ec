import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Enrolment
import Foundation
import TestSupport
import Testing

@testable import capturectl

/// A row that wraps is read as two.
@Suite("Lists fit the terminal")
struct ListWidthTests {
    private let now = Timestamp(microsecondsSince1970: 1_790_000_000_000_000)
    private var earlier: Timestamp { now.advanced(by: .seconds(-59 * 60)) }

    private func fits(_ text: (Terminal) -> String, at columns: Int) -> Bool {
        text(Terminal(columns: columns, isTinted: false)).split(separator: "\n")
            .allSatisfy { DisplayWidth.of($0) <= columns }
    }

    /// In a pipe there is everything.
    private func whole(_ text: (Terminal) -> String) -> String { text(Terminal(columns: nil, isTinted: false)) }

    @Test(arguments: [80, 105, 200])
    func `a list of devices fits the terminal`(columns: Int) {
        let device = Device.phone(
            .attested(publicKey: [1], environment: .development, appID: "", trustRoot: ""),
            model: "iPhone17,1 of a long name", registeredAt: earlier)
        func text(on terminal: Terminal) -> String {
            DevicesListCommand.text(
                [ListedDevice(device: device, compromisedSince: now)], after: nil, next: nil, at: now, on: terminal)
        }
        #expect(fits(text, at: columns), "\(text(on: Terminal(columns: columns, isTinted: false)))")
        for word in ["59 min ago", "development", "iPhone17,1 of a long name", "compromised"] {
            #expect(whole(text).contains(word))
        }
    }

    @Test(arguments: [80, 100, 140, 250])
    func `a list of invitations fits the terminal`(columns: Int) throws {
        let id = try #require(InvitationID("6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d"))
        let invitation = Invitation(
            id: id, note: "for somebody with a note", createdAt: earlier,
            createdBy: "an operator with a name of many words@a-host-with-another.example.com",
            expiresAt: earlier.advanced(by: .seconds(60)))
        func text(on terminal: Terminal) -> String {
            InvitationsListCommand.text([invitation], after: nil, at: now, next: nil, on: terminal)
        }
        #expect(fits(text, at: columns), "\(text(on: Terminal(columns: columns, isTinted: false)))")
        for word in [invitation.createdBy, invitation.expiresAt.rfc3339, "for somebody with a note", "59 min ago"] {
            #expect(whole(text).contains(word))
        }
    }

    @Test(arguments: [80, 100, 150])
    func `a list of dead letters fits the terminal`(columns: Int) {
        var status = JobStatus(lost: CaptureID(UUID()), of: DeviceID(UUID()), receivedAt: earlier)
        (status.state, status.reason, status.fault) = (.failed, .deliveriesExhausted, "its worker did not come back")
        let letter = DeadLetter(
            status: status, diedAt: earlier, deliveries: 1, photoBytes: 1_023_000, depthBytes: 4, bundleStore: .redis,
            bytes: .kept)
        func text(on terminal: Terminal) -> String {
            DeadPage(letters: [letter], isFirst: true, hasMore: false, total: 1).text(now: now, terminal: terminal)
        }
        #expect(fits(text, at: columns), "\(text(on: Terminal(columns: columns, isTinted: false)))")
        for word in ["tries", "KiB", "DELIVERIES_EXHAUSTED", "its worker did not come back", "\(status.device)"] {
            #expect(whole(text).contains(word))
        }
    }

    @Test func `a list without a match says among how many, whatever their number`() {
        for (total, words) in [(0, "no dead letters"), (1, "no match among 1 dead letter"), (2, "2 dead letters")] {
            let page = DeadPage(letters: [], isFirst: true, hasMore: false, total: total)
            #expect(whole { page.text(now: now, terminal: $0) }.hasSuffix(words))
            #expect(whole { DeadLetterGroups().text(total: total, terminal: $0) }.hasSuffix(words))
        }
    }

    @Test func `groups of dead letters say that their newest time is UTC`() {
        var status = JobStatus(lost: CaptureID(UUID()), of: DeviceID(UUID()), receivedAt: earlier)
        (status.state, status.reason, status.fault) = (.failed, .internal, "refused")
        var groups = DeadLetterGroups()
        groups.add([
            DeadLetter(
                status: status, diedAt: earlier, deliveries: 1, photoBytes: 1, depthBytes: 1, bundleStore: .redis,
                bytes: .kept)
        ])
        let text = whole { terminal in groups.text(total: 1, terminal: terminal) }
        #expect(text.contains("  \(earlier.rfc3339.prefix(16))Z  INTERNAL  refused"), "\(text)")
    }

    @Test(arguments: [80, 95, 110, 150])
    func `captures, those of a key that may have been in other hands among them`(columns: Int) {
        func capture(_ state: CaptureState, _ verdict: Verdict, _ reason: Reason?) -> ListedCapture {
            let result = ArchivedCapture.Result(
                verdict: verdict, reason: reason, confidence: .high, counter: 1_000_000_000,
                counterHighest: 1_000_000_000, attempts: 1, isRedriven: false, verifiedAt: earlier,
                compromisedSince: now)
            return ListedCapture(
                id: CaptureID(UUID()), device: DeviceID(UUID()), receivedAt: earlier, state: state, reason: reason,
                fault: nil, attempts: 1, isRedriven: false, result: result)
        }
        let page = CapturesPage(
            captures: [capture(.verified, .verified, nil), capture(.rejected, .rejected, .trustRootNotAllowed)],
            isFirst: true, next: nil)
        func text(on terminal: Terminal) -> String { page.text(now: now, on: terminal) }
        let shown = text(on: Terminal(columns: columns, isTinted: false))
        #expect(fits(text, at: columns), "\(shown)")
        #expect(shown.contains("compromised") && shown.contains("rejected"))
        #expect(whole(text).contains("verified, compromised") && whole(text).contains("TRUST_ROOT_NOT_ALLOWED"))
    }
}

@Suite("A dead letter as JSON")
struct DeadLetterDocumentTests {
    /// A member that is left out could not be told from one that is misspelt.
    @Test func `a dead letter as JSON has an audit that is null where the record did not tell, and none in a list`()
        throws
    {
        let status = JobStatus(
            lost: CaptureID(UUID()), of: DeviceID(UUID()), receivedAt: Timestamp(microsecondsSince1970: 0))
        let letter = DeadLetter(
            status: status, diedAt: status.receivedAt, deliveries: 1, photoBytes: 1, depthBytes: 1, bundleStore: nil,
            bytes: .unseen)
        let alone = try JSONText.write(DeadLetterDocument(letter, trail: nil))
        #expect(alone.contains(#""audit":null"#) && alone.contains(#""audit_cut":null"#), "\(alone)")
        #expect(try !JSONText.write(DeadLetterDocument(letter)).contains("audit"))
    }

    @Test func `a letter whose job Redis has lost tells null and unknown, and what a redrive does with it`() throws {
        let status = JobStatus(
            lost: CaptureID(UUID()), of: DeviceID(UUID()), receivedAt: Timestamp(microsecondsSince1970: 0))
        let letter = DeadLetter(
            status: status, diedAt: status.receivedAt, deliveries: 1, photoBytes: nil, depthBytes: nil,
            bundleStore: nil, bytes: .unknown)
        let text = try JSONText.write(DeadLetterDocument(letter))
        for member in ["photo_bytes", "depth_bytes", "bundle_store", "bytes_kept"] {
            #expect(text.contains("\"\(member)\":null"), "\(text)")
        }
        let preview = DeadSelection.preview([letter], fateOfGone: "in vain", fateOfLost: "as the ledger has it")
        #expect(preview.contains("1 device, size unknown") && !preview.contains("gone"), "\(preview)")
        #expect(preview.contains("the jobs of 1 are lost or malformed: as the ledger has it"), "\(preview)")
    }
}
