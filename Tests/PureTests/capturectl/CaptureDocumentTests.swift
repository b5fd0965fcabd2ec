import CaptureModel
import CaptureOperations
import CaptureStore
import Foundation
import TestSupport
import Testing

@testable import capturectl

@Suite("The state of a capture that nobody has any more")
struct CaptureDocumentTests {
    @Test(arguments: [
        (["capture.discard"], "discarded"), (["capture.redrive"], "unknown"),
        (["capture.discard", "capture.discard.missed"], "unknown"),
        // Two operators at once: one has discarded it, and the other has found nothing more.
        (["capture.discard", "capture.discard", "capture.discard.missed"], "discarded"),
    ])
    func `the state of a capture that nobody has any more is what the audit says was done to it`(
        deeds: [String], state: String
    ) async throws {
        let (store, capture) = (MemoryCaptureStore(time: ManualTime().source), CaptureID(UUID()))
        let entries = deeds.map {
            AuditEntry(at: ManualTime().source(), actor: "alice", action: $0, subject: "\(capture)")
        }
        try await store.recordAudit(entries)
        let trail = try await AuditTrail(of: "\(capture)", in: store)
        let document = CaptureDocument(id: capture, result: nil, status: nil, deliveries: nil, trail: trail)
        #expect(try JSONText.write(document).contains(#""status":"\#(state)""#))
    }

    @Test(arguments: [(CaptureState.failed, "given up", "settled"), (.verified, "settled", "given up")])
    func `a dead letter is said to be given up, and not settled`(
        state: CaptureState, word: String, other: String
    ) async throws {
        let (time, capture) = (ManualTime().source, CaptureID(UUID()))
        let (store, now) = (MemoryCaptureStore(time: time), time())
        let status = JobStatus(
            id: capture, device: DeviceID(UUID()), state: state, attempts: 1, reason: nil, fault: nil, receivedAt: now,
            claimedAt: now, settledAt: now, nextAttemptAt: nil)
        let trail = try await AuditTrail(of: "\(capture)", in: store)
        let document = CaptureDocument(id: capture, result: nil, status: status, deliveries: nil, trail: trail)
        let lines = document.text(on: Terminal(columns: nil, isTinted: false)).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix(word) && $0.hasSuffix(now.rfc3339) }, "\(lines)")
        #expect(!lines.contains { $0.hasPrefix(other) }, "\(lines)")
        #expect(try JSONText.write(document).contains(#""settled_at":"\#(now.rfc3339)""#), "the member stays")
    }

    /// Ids of all kinds look alike, and are copied from the same lists.
    @Test(
        arguments: [
            (["device.register"], "a device: capturectl devices show"),
            (["queue.repair", "device.revoke"], "a device: capturectl devices show"),
            (["invitation.create"], "an invitation: capturectl invitations list"),
            (["enrolment.start"], "an enrolled user"),
            (["queue.repair", "capture.redrive"], nil), ([], nil),
        ] as [([String], String?)])
    func `an id of something else is told by what the audit says was done to it`(
        deeds: [String], owner: String?
    ) async throws {
        let (store, subject) = (MemoryCaptureStore(time: ManualTime().source), UUID().uuidString)
        try await store.recordAudit(
            deeds.map { AuditEntry(at: ManualTime().source(), actor: "alice", action: $0, subject: subject) })
        #expect(try await AuditTrail(of: subject, in: store).otherOwner == owner)
    }
}
