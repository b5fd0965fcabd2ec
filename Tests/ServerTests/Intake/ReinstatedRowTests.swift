import CaptureModel
import CaptureStore
import Foundation
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// An operator's discard takes the row away first, and the queue may then not discard the capture.
@Suite("A row that is reinstated", .timeLimit(.minutes(3)))
struct ReinstatedRowTests {
    private static func uploads(_ count: Int) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 21)
        let device = maker.device()
        return (0..<count).map { maker.submission(of: device, receivedAt: moment($0)) }
    }

    /// Takes a capture's row away; whoever gets it reinstates it.
    private static func discarded(_ upload: CaptureSubmission, _ ledger: any IntakeLedger) async throws -> IntakeEntry {
        let row = try #require(try await ledger.discard(upload.id))
        #expect(try await ledger.entries(of: [upload.id]).isEmpty)
        return row
    }

    @Test(arguments: LedgerKind.allCases)
    func `a row that is reinstated is as it was, and in its place`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let uploads = Self.uploads(3)
            let ids = uploads.map(\.id)
            _ = try await ledger.record(uploads)
            _ = try await ledger.claim([ids[0]])
            try await ledger.noteDead([ids[1]])
            let before = try await ledger.entries(of: ids)
            #expect(before.map { $0.claimedAt != nil } == [true, false, false])
            #expect(before.map { $0.notedDeadAt != nil } == [false, true, false])
            for (upload, entry) in zip(uploads, before) {
                let row = try await Self.discarded(upload, ledger)
                #expect(row == entry)
                try await ledger.reinstate(row)
            }
            #expect(try await ledger.entries(of: ids) == before)
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == ids)
            #expect(try await ledger.record([uploads[2]]) == [.recorded], "it stands for its bundle")
        }
    }

    /// As by an upload of its bundle, which found the capture in the queue at that moment.
    @Test(arguments: LedgerKind.allCases)
    func `a row that is reinstated has its times again where its capture was recorded anew`(_ kind: LedgerKind)
        async throws
    {
        try await kind.withLedger { ledger, close async throws in
            let upload = Self.uploads(1)[0]
            _ = try await ledger.record([upload])
            try await ledger.noteDead([upload.id])
            let row = try await Self.discarded(upload, ledger)
            #expect(try await ledger.record([upload.received(at: moment(50))]) == [.recorded])
            _ = try await ledger.claim([upload.id])
            try await ledger.reinstate(row)
            let given = try #require(try await ledger.entries(of: [upload.id]).first)
            #expect(given.submission == upload && given.recordedAt == row.recordedAt)
            #expect(given.notedDeadAt == row.notedDeadAt)
            #expect(given.claimedAt != nil)
            try await close([upload.id])
            try await ledger.reinstate(row)
            #expect(try await ledger.accepted([upload.id])[upload.id]?.isOpen == false, "a closed one stays closed")
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a row that is reinstated is refused where its bundle is another capture's by now`(_ kind: LedgerKind)
        async throws
    {
        try await kind.withLedger { ledger, _ async throws in
            let upload = Self.uploads(1)[0]
            _ = try await ledger.record([upload])
            let row = try await Self.discarded(upload, ledger)
            var maker = SubmissionMaker(seed: 22)
            let again = maker.submission(of: upload.device, digest: upload.bundleDigest, receivedAt: moment(50))
            #expect(try await ledger.record([again]) == [.recorded])
            await #expect(throws: StoreError(.refused, "")) { try await ledger.reinstate(row) }
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [again.id])
        }
    }

    /// As for a dead letter whose row was discarded by somebody who never got to know.
    @Test(arguments: LedgerKind.allCases)
    func `a row that is reinstated without its place comes after all others, with its own times`(_ kind: LedgerKind)
        async throws
    {
        try await kind.withLedger { ledger, _ async throws in
            let uploads = Self.uploads(3)
            _ = try await ledger.record(Array(uploads[...1]))
            let row = try await Self.discarded(uploads[0], ledger)
            let placeless = IntakeEntry(
                submission: row.submission, place: IntakeEntry.nextPlace, recordedAt: moment(7), notedDeadAt: moment(8),
                claimedAt: nil)
            try await ledger.reinstate(placeless)
            _ = try await ledger.record([uploads[2]])
            let order = [uploads[1].id, uploads[0].id, uploads[2].id]
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == order)
            let given = try #require(try await ledger.entries(of: [row.submission.id]).first)
            #expect(given.recordedAt == moment(7) && given.notedDeadAt == moment(8) && given.claimedAt == nil)
            try await ledger.reinstate(placeless)
            #expect(try await ledger.entries(of: [row.submission.id]) == [given], "it keeps the place that it has")
        }
    }

    /// Otherwise a genuine capture would be called one of a revoked device.
    @Test func `a row that is reinstated makes no capture younger than a revocation of its device`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let now = Timestamp(Date())
            let received = now.advanced(by: .seconds(-7200))
            let registration = DeviceRegistration.sample(at: now.advanced(by: .seconds(-9000)))
            let device = registration.device
            #expect(try await store.register(registration) == .created)
            var maker = SubmissionMaker(seed: 23)
            let upload = maker.submission(of: device.id, receivedAt: received)
            let capture = ExaminedCapture.sample(device, counter: 1, upload: upload, receivedAt: received)
            _ = try await ledger.record([upload])
            try await client.executeScript("UPDATE intake SET recorded_at = recorded_at - interval '2 hours'")
            let revokedAt = now.advanced(by: .seconds(-1800))
            #expect(try await store.revoke(device.id, at: revokedAt, reason: "lost", actor: "alice"))
            try await ledger.reinstate(try await Self.discarded(upload, ledger))
            #expect(try await store.settle([capture], policy: .strict).map(\.reason) == [nil])
            #expect(try await store.results(of: [upload.id])[upload.id]?.receivedAt == received)
        }
    }
}
