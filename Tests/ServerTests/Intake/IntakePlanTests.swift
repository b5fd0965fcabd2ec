import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// Work on some rows of the ledger costs the same, however many others there are.
@Suite("How the intake ledger is read", .timeLimit(.minutes(3)))
struct IntakePlanTests {
    private struct Scene {
        let store: PostgresCaptureStore
        let client: PostgresClient
        let ledger: PostgresIntakeLedger
        let device: Device
        private var maker = SubmissionMaker(seed: 8)
        private var counter: UInt32 = 0

        init(_ store: PostgresCaptureStore, _ client: PostgresClient) async throws {
            self.store = store
            self.client = client
            ledger = PostgresIntakeLedger(client: client)
            device = try await store.registered()
        }

        /// Records captures that can be settled.
        mutating func record(_ count: Int) async throws -> [ExaminedCapture] {
            let uploads = (0..<count).map { _ in maker.submission(of: device.id, receivedAt: moment(0)) }
            _ = try await ledger.record(uploads)
            return uploads.map { upload in
                counter += 1
                return .sample(device, counter: counter, upload: upload)
            }
        }

        func execute(_ script: String) async throws {
            try await client.executeScript(script)
        }

        /// Has statements look for some of five captures, or for what is due.
        func touch(_ captures: [CaptureID]) async throws {
            _ = try await ledger.withdraw(captures[0])
            _ = try await ledger.claim([captures[1]])
            _ = try await ledger.claim([captures[1], captures[2]])
            _ = try await ledger.accepted([captures[2]])
            _ = try await ledger.entries(of: [captures[2]])
            _ = try await ledger.passRow(of: captures[3], to: CaptureID(UUID()), receivedAt: moment(0))
            try await ledger.noteDead([captures[2]])
            _ = try await ledger.discard(captures[4])
            _ = try await ledger.purge(closedFor: .zero, limit: 10)
        }

        /// Entries of the indexes by which what is due is found.
        func entriesRead() async throws -> Int64 {
            _ = try await client.execute(IntakePlanTests.flush)
            return try #require(try await client.execute(IntakePlanTests.readDue).first).int8("entries")
        }

        /// Rows of the ledger that were read one after the other, and entries of all its indexes.
        func rowsRead() async throws -> Int64 {
            _ = try await client.execute(IntakePlanTests.flush)
            return try #require(try await client.execute(IntakePlanTests.readRows).first).int8("rows")
        }

        /// Rows that were read one after the other, and entries of the indexes of open rows.
        func read() async throws -> (byScan: Int64, ofOpen: Int64) {
            _ = try await client.execute(IntakePlanTests.flush)
            let row = try #require(try await client.execute(IntakePlanTests.read).first)
            return (try row.int8("by_scan"), try row.int8("of_open"))
        }
    }

    private static let flush = PostgresStatement("test_flush", "SELECT pg_stat_force_next_flush()::text AS done")
    private static let read = PostgresStatement(
        "test_read",
        """
        SELECT
            (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'intake')::bigint AS by_scan,
            (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE indexrelname LIKE 'intake_open%')::bigint
                AS of_open
        """)

    private static let readDue = PostgresStatement(
        "test_read_due",
        """
        SELECT (
            SELECT sum(idx_tup_read) FROM pg_stat_user_indexes
            WHERE indexrelname IN (
                'intake_closed', 'receipts_due', 'invitations_unused', 'invitations_expiry', 'enrolments_unfinished',
                'enrolments_packages')
        )::bigint + (
            SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('intake', 'receipts', 'invitations')
        )::bigint AS entries
        """)

    @Test func `closing goes by the index, however many rows there are`() async throws {
        try await withPostgresStore { store, client async throws in
            var scene = try await Scene(store, client)
            for _ in 0..<4 { _ = try await store.settle(try await scene.record(64), policy: .strict) }
            #expect(try await scene.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
            #expect(try await scene.read().byScan == 0)
        }
    }

    @Test func `what is due is found without going through what is not`() async throws {
        try await withPostgresStore { store, client async throws in
            var scene = try await Scene(store, client)
            for _ in 0..<4 { _ = try await store.settle(try await scene.record(500), policy: .strict) }
            try await scene.execute(
                """
                INSERT INTO receipts (device_id, receipt, received_at, outcome, next_at)
                SELECT id, '\\x01', now(), 'waiting', now() + interval '1 hour' FROM devices;
                INSERT INTO invitations (id, code_digest, created_at, created_by, expires_at)
                SELECT gen_random_uuid(), sha256(n::text::bytea), now(), '', now() + interval '1 hour'
                FROM generate_series(1, 2000) AS n
                """)
            try await scene.execute("VACUUM ANALYZE")
            let before = try await scene.entriesRead()
            #expect(try await scene.ledger.purge(closedFor: .seconds(86_400), limit: 10) == 0)
            #expect(try await store.purgeEnrolments(expiredFor: .seconds(86_400), limit: 10) == 0)
            #expect(try await store.claimReceipt(lease: .seconds(60), token: 1) == nil)
            #expect(try await scene.entriesRead() - before <= 3)
        }
    }

    private static let readRows = PostgresStatement(
        "test_read_rows",
        """
        SELECT (
            SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'intake'
        )::bigint + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'intake')::bigint AS rows
        """)

    /// The table is nearly empty most of the time, as rows of verified captures are deleted; PostgreSQL then expects
    /// one row even in a burst.
    @Test(arguments: [false, true])
    func `a batch does not go through a ledger that was counted while it was empty`(isMixed: Bool) async throws {
        try await withPostgresStore { store, client async throws in
            let scene = try await Scene(store, client)
            try await scene.execute("ALTER TABLE intake SET (autovacuum_enabled = off)")
            try await scene.execute("UPDATE pg_class SET reltuples = 0, relpages = 50 WHERE oid = 'intake'::regclass")
            let uploads = (1...2_000).map { SignedUpload.make(scene.device, $0) }
            for start in 0..<4 { _ = try await scene.ledger.record(Array(uploads[start * 500..<start * 500 + 500])) }
            let before = try await scene.rowsRead()
            for start in 0..<4 {
                let batch = (start * 16..<start * 16 + 16).map { place in
                    SignedUpload.verified(
                        uploads[place], of: scene.device,
                        counter: isMixed && place.isMultiple(of: 4) ? nil : UInt32(place + 1))
                }
                _ = try await store.settle(batch, policy: .strict)
                let again = (start * 16 + 100..<start * 16 + 116).map { SignedUpload.make(scene.device, UInt32($0)) }
                _ = try await scene.ledger.record(again)
            }
            #expect(try await scene.rowsRead() - before < 1_000)
            #expect(try await scene.ledger.accepted(uploads.map(\.id)).count == (isMixed ? 1_952 : 1_936))
        }
    }

    /// A session keeps the plan of a prepared statement from its sixth execution on.
    @Test func `what was planned on an empty ledger does not go through a full one`() async throws {
        try await withPostgresStore(connections: 1) { store, client async throws in
            var scene = try await Scene(store, client)
            try await scene.execute("ALTER TABLE intake SET (autovacuum_enabled = off)")
            try await scene.execute("VACUUM ANALYZE intake")
            for _ in 0..<7 { try await scene.touch((0..<5).map { _ in CaptureID(UUID()) }) }
            var open: [ExaminedCapture] = []
            for _ in 0..<4 { open += try await scene.record(500) }
            try await scene.execute("UPDATE intake SET closed_at = clock_timestamp() WHERE place > 1000")
            let before = try await scene.rowsRead()
            try await scene.touch(open.prefix(5).map(\.job.id))
            #expect(try await scene.rowsRead() - before < 100)
            #expect(try await scene.ledger.openIntake(after: 0, olderThan: .zero, limit: 2_000).count == 998)
        }
    }

    /// PostgreSQL then takes the index of open rows for the shortest way to any of them: it was empty when it looked.
    @Test func `what was counted while nothing was open leads nobody through all that is open later`() async throws {
        try await withPostgresStore { store, client async throws in
            var scene = try await Scene(store, client)
            for _ in 0..<4 { _ = try await scene.record(500) }
            try await scene.execute("UPDATE intake SET closed_at = clock_timestamp()")
            try await scene.execute("VACUUM ANALYZE intake")
            var open: [ExaminedCapture] = []
            for _ in 0..<4 { open += try await scene.record(500) }
            let before = try await scene.read()
            let ids = open.map(\.job.id)
            for start in 0..<8 {
                _ = try await store.settle(Array(open[start * 8..<start * 8 + 8]), policy: .strict)
                // As after a discard that came too late, which has put the row of a settled capture back.
                try await scene.execute("UPDATE intake SET closed_at = NULL WHERE capture_id = '\(ids[start * 8])'")
                #expect(try await scene.ledger.claim([ids[start * 8]]).entries.isEmpty)
                let page = Array(ids[100 + start * 50..<150 + start * 50])
                #expect(try await scene.ledger.claim(page).entries.count == 50)
                try await scene.ledger.noteDead(Array(page.prefix(8)))
                #expect(try await scene.ledger.entries(of: page).count == 50)
                #expect(try await scene.ledger.withdraw(ids[600 + start]))
                let row = try #require(try await scene.ledger.discard(ids[700 + start]))
                try await scene.ledger.reinstate(row)
            }
            let after = try await scene.read()
            #expect(after.ofOpen == before.ofOpen)
        }
    }
}
