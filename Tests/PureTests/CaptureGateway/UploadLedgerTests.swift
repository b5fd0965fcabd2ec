import CaptureModel
import CaptureStore
import IntakeJournal
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("The ledger as an upload meets it", .timeLimit(.minutes(1)))
struct UploadLedgerTests {
    /// Whoever sends bad signatures without end would else take connections and commits of the record without end.
    @Test(arguments: [false, true])
    func `no more uploads wait than may, by their digests alone or not`(isByDigestAlone: Bool) async throws {
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let journal = IntakeJournal(
            ledger: ledger, limits: IntakeJournal.Limits(groupMax: 1, backlogMax: 0, waitMax: .seconds(50)))
        let signed = UploadLedger(ledger: ledger, journal: journal)
        let intake = isByDigestAlone ? signed.byDigestAlone : signed
        let submission = SubmissionMaker.submission(seed: 1)
        let refused = await #expect(throws: NotAccepted.self) { try await intake.record(submission) }
        #expect(refused?.answer.code == .unavailable)
        #expect(refused?.isInDoubt == false)
        #expect(await ledger.groups.isEmpty)
    }
    /// As when an operator has discarded it, and the bundle was sent once more.
    @Test func `an upload whose row is another one's by now is put off`() async throws {
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let journal = IntakeJournal(
            ledger: ledger, limits: IntakeJournal.Limits(groupMax: 1, backlogMax: 1, waitMax: .seconds(50)))
        let writing = Task { try await journal.run() }
        defer { writing.cancel() }
        let intake = UploadLedger(ledger: ledger, journal: journal)
        var maker = SubmissionMaker(seed: 1)
        let first = maker.submission(of: maker.device())
        try await intake.keep(first)
        let other = maker.submission(of: first.device, digest: first.bundleDigest)
        let refused = await #expect(throws: APIError.self) { try await intake.keep(other) }
        #expect(refused?.code == .unavailable)
    }
}
