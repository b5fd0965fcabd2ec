import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("The intake ledger in PostgreSQL", .timeLimit(.minutes(3)))
struct PostgresLedgerTests {
    /// As after the server's clock was set back, or where another server with another clock took over.
    @Test func `an open row that is to come by the clock is told, whatever age is asked for`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let upload = LedgerKind.uploads(1)[0]
            _ = try await ledger.record([upload])
            try await client.executeScript("UPDATE intake SET recorded_at = now() + interval '1 minute'")
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [upload.id])
            // As the sweep asks: it would not find the capture again for as long as the step.
            let old = try await ledger.openIntake(after: 0, olderThan: .seconds(30), limit: 9)
            #expect(old.map(\.capture) == [upload.id])
        }
    }

    @Test func `everything that the queue needs comes back as it was`() async throws {
        try await LedgerKind.postgres.withLedger { ledger, _ async throws in
            var maker = SubmissionMaker(seed: 3)
            let upload = CaptureSubmission(
                id: maker.submission(of: maker.device()).id, device: maker.device(), bundleDigest: .hash([9]),
                binding: .framedV2, assertion: [0, 255, 1], metadata: Array("{\"ä\":\"\u{0}\"}".utf8),
                photoDigest: .hash([1]), depthDigest: .hash([2]), photoBytes: 3_000_000_000, depthBytes: 0,
                receivedAt: moment(3), traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                bundleStore: .filesystem)
            _ = try await ledger.record([upload])
            let rows = try await ledger.claim([upload.id]).entries
            #expect(rows.map(\.submission) == [upload] && rows.allSatisfy { !$0.isDead })
        }
    }

    @Test func `an id that is taken already is no fault of the record`() async throws {
        try await LedgerKind.postgres.withLedger { ledger, _ async throws in
            let first = LedgerKind.uploads(1)[0]
            _ = try await ledger.record([first])
            var maker = SubmissionMaker(seed: 12)
            let other = maker.submission(of: first.device, id: first.id, receivedAt: moment(1))
            let fresh = maker.submission(of: first.device, receivedAt: moment(2))
            #expect(try await ledger.record([other, fresh]) == [.contested, .recorded])
        }
    }

    @Test func `groups of two gateways with the same bundles never wait for each other in a circle`() async throws {
        try await withPostgresStore { _, client async throws in
            try await client.letUploadsWait()
            let ledger = PostgresIntakeLedger(client: client)
            let firsts = LedgerKind.uploads(60, seed: 11)
            let seconds = firsts.reversed().enumerated().map { LedgerKind.again($1, seed: UInt64(1000 + $0)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<6 {
                    let uploads = round.isMultiple(of: 2) ? firsts : Array(seconds)
                    group.addTask { _ = try await ledger.record(uploads) }
                }
                try await group.waitForAll()
            }
            let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 1000).map(\.capture)
            let bundles = try await ledger.entries(of: open).map(\.submission.bundleDigest)
            #expect(open.count == 60 && bundles.count == 60, "a row for each bundle")
            #expect(Set(bundles) == Set(firsts.map(\.bundleDigest)))
        }
    }

    @Test func `results close their rows in the transaction that writes them`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            var maker = SubmissionMaker(seed: 500)
            let uploads = (0..<3).map { maker.submission(of: device.id, receivedAt: moment($0)) }
            let captures = uploads.enumerated().map { index, upload in
                ExaminedCapture.sample(device, counter: UInt32(index + 1), upload: upload)
            }
            _ = try await ledger.record(uploads)
            _ = try await store.settle(Array(captures[..<2]), policy: .strict)
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [uploads[2].id])
            // The record refuses results from now on: a batch that fails closes nothing.
            try await client.executeScript("ALTER TABLE captures ADD CHECK (id IS NULL) NOT VALID")
            await #expect(throws: StoreError(.refused, "")) { try await store.settle([captures[2]], policy: .strict) }
            #expect(try await ledger.claim(uploads.map(\.id)).entries.map(\.submission.id) == [uploads[2].id])
        }
    }

    /// No result leads to it: only a verified capture has used its counter up.
    @Test func `the row of a rejected capture stays, closed, and tells of its bundle`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            #expect(try await store.reasons(device, [7]) == [nil])
            let stale = SignedUpload.make(device, 5)
            _ = try await ledger.record([stale])
            let capture = SignedUpload.verified(stale, of: device, counter: 5)
            #expect(try await store.settle([capture], policy: .strict).map(\.reason) == [.counterStale])
            #expect(try await ledger.record([SignedUpload.make(device, 5)]) == [.earlier(stale.id, .closed)])
        }
    }

    private static let kept = PostgresStatement(
        "test_kept",
        """
        SELECT count(closed_at) AS closed, sum(octet_length(assertion) + octet_length(metadata)) AS bytes FROM intake
        """)

    @Test func `a closed row keeps no evidence, whoever has closed it`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let uploads = LedgerKind.uploads(2)
            _ = try await ledger.record([uploads[0]])
            _ = try await store.settle(
                uploads.map { .sample(nil, counter: nil, upload: $0, rejection: .deviceUnknown) }, policy: .strict)
            _ = try await ledger.record([uploads[1]])
            _ = try await ledger.claim(uploads.map(\.id))
            let row = try #require(try await client.execute(Self.kept).first)
            #expect(try row.int8("closed") == 2 && row.int8("bytes") == 0)
        }
    }
}
