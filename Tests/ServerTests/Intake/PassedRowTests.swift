import CaptureModel
import CaptureStore
import Foundation
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// The queue has a bundle as a capture without a row: that of a later upload is passed to it.
@Suite("A row that is passed to another capture", .timeLimit(.minutes(3)))
struct PassedRowTests {
    private static func uploads(_ count: Int, of device: DeviceID, receivedAt: Timestamp) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 31)
        return (0..<count).map { _ in maker.submission(of: device, receivedAt: receivedAt) }
    }

    /// As when the same upload is recorded twice at the same moment, and its id is found taken before its digest is.
    @Test(arguments: LedgerKind.allCases)
    func `a passed row is of an open capture, claimed or not, and comes to one that has neither a row nor a result`(
        _ kind: LedgerKind
    ) async throws {
        try await kind.withLedger { ledger, close async throws in
            let captures = Self.uploads(4, of: DeviceID(UUID()), receivedAt: moment(0))
            let others = captures.map { _ in CaptureID(UUID()) }
            func isPassed(_ from: Int, _ to: Int) async throws -> Bool {
                try await ledger.passRow(of: captures[from].id, to: others[to], receivedAt: moment(0))
            }
            _ = try await ledger.record(captures)
            #expect(try await isPassed(0, 0))
            #expect(try await ledger.entries(of: [captures[0].id, others[0]]).map(\.submission.id) == [others[0]])
            let again = captures[0].with(id: CaptureID(UUID()))
            #expect(try await ledger.record([again]) == [.earlier(others[0], .waiting)])
            #expect(try await !isPassed(0, 1), "it has none any more")
            #expect(try await !isPassed(1, 0), "the other has one")
            try await close([others[1]])
            #expect(try await !isPassed(1, 1), "the other has a result")
            _ = try await ledger.claim([captures[2].id])
            #expect(try await isPassed(2, 2))
            #expect(try await ledger.entries(of: [others[2]]).map(\.claimedAt) == [nil])
            try await close([captures[3].id, others[0]])
            #expect(try await !isPassed(3, 3), "it is closed")
            let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9)
            #expect(open.map(\.capture) == [captures[1].id, others[2]])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a passed row gets the time at which the queue had the capture, and stays recorded when it was`(
        _ kind: LedgerKind
    ) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let uploads = Self.uploads(2, of: DeviceID(UUID()), receivedAt: moment(0))
            _ = try await ledger.record(uploads)
            let recorded = try await ledger.entries(of: uploads.map(\.id)).map(\.recordedAt)
            let ids = uploads.map { _ in CaptureID(UUID()) }
            let earlier = moment(0).advanced(by: .seconds(-3600))
            let later = moment(0).advanced(by: .seconds(3600))
            #expect(try await ledger.passRow(of: uploads[0].id, to: ids[0], receivedAt: earlier))
            #expect(try await ledger.passRow(of: uploads[1].id, to: ids[1], receivedAt: later))
            let rows = try await ledger.entries(of: ids)
            #expect(rows.map(\.submission.receivedAt) == [earlier, moment(0)])
            #expect(rows.map(\.recordedAt) == recorded)
        }
    }

    /// A later upload of a bundle cannot put its genuine capture behind a revocation, and Redis cannot put a capture
    /// further back than a gateway with a ledger could.
    @Test(arguments: [true, false])
    func `a passed row is at most ten minutes older than the record saw it, and no younger than the queue has it`(
        isWithinTenMinutes: Bool
    ) async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let now = try await store.serverTime()
            let registration = DeviceRegistration.sample(at: now.advanced(by: .seconds(-9000)))
            let device = registration.device
            #expect(try await store.register(registration) == .created)
            let received = now.advanced(by: .seconds(isWithinTenMinutes ? -540 : -7200))
            let upload = Self.uploads(1, of: device.id, receivedAt: now)[0]
            let queued = upload.with(id: CaptureID(UUID()))
            let capture = ExaminedCapture.sample(device, counter: 1, upload: queued, receivedAt: received)
            _ = try await ledger.record([upload])
            #expect(try await ledger.passRow(of: upload.id, to: capture.job.id, receivedAt: received))
            // Both captures lie before it in Redis.
            let revokedAt = now.advanced(by: .seconds(isWithinTenMinutes ? -300 : -900))
            #expect(try await store.revoke(device.id, at: revokedAt, reason: "lost", actor: "alice"))
            let reasons = try await store.settle([capture], policy: .strict).map(\.reason)
            #expect(reasons == [isWithinTenMinutes ? nil : .deviceRevoked])
        }
    }
}
