import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import Testing

/// How PostgreSQL goes about settling, however large the table has become since it made its plans.
@Suite("Plans of settling", .timeLimit(.minutes(3)))
struct SettlePlanTests {
    /// A connection keeps its plans: one that is made while the table is known to be empty finds nothing too long.
    @Test(arguments: [false, true])
    func `settling goes by indexes from the first row to the last`(_ isAnalysedWhileEmpty: Bool) async throws {
        try await withPostgresStore(connections: 1) { store, client async throws in
            let device = try await store.registered()
            if isAnalysedWhileEmpty { try await run("ANALYZE", client) }
            for step in 0..<20 as Range<UInt32> {
                let batch: [VerifiedCapture] = (1...50).map { .sample(device, counter: step * 50 + $0) }
                _ = try await store.settle(batch, policy: .strict)
                // Again, as after a crash before the acknowledgement.
                _ = try await store.settle(Array(batch.prefix(5)), policy: .strict)
            }
            _ = try await store.settle((1...50).map { .sample(device, counter: $0) }, policy: .window(1_000))
            // Statistics are sent at the end of a transaction at the earliest: this asks for them now.
            _ = try await client.execute(Self.flush)
            let reads = try await client.execute(Self.reads).first
            #expect(try reads?.int8("by_table") == 0)
            // Of 1,150 captures that were asked about, each is looked up by its id and by its counter.
            #expect(try #require(try reads?.int8("by_index")) <= 3 * 1_150)
            // An index that has the id behind other columns is read from end to end, and no entry of that is counted.
            let indexes = try await client.execute(Self.indexes).rows.map { try $0.text("name") }
            #expect(Set(indexes).isSubset(of: ["captures_pkey", "captures_counter_used"]), "\(indexes)")
        }
    }

    /// Evidence and documents are large, and nobody looks for them.
    @Test func `statistics are of what statements look for`() async throws {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered()
            _ = try await store.settle((1...60).map { .sample(device, counter: $0) }, policy: .strict)
            try await run("ANALYZE", client)
            let columns = try await client.execute(Self.columns).rows.map { try $0.text("name") }
            #expect(
                columns == [
                    "confidence", "counter", "device_id", "id", "key_id", "photo_digest", "reason", "received_at",
                    "verdict",
                ])
        }
    }

    private func run(_ script: String, _ client: PostgresClient) async throws {
        try await client.withConnection { connection throws(PostgresError) in
            try await connection.executeScript(script)
        }
    }

    private static let flush = PostgresStatement("test_flush", "SELECT pg_stat_force_next_flush()::text AS done")
    private static let reads = PostgresStatement(
        "test_reads",
        """
        SELECT seq_tup_read AS by_table, (
            SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes WHERE relname = 'captures') AS by_index
        FROM pg_stat_user_tables WHERE relname = 'captures'
        """)
    private static let indexes = PostgresStatement(
        "test_indexes",
        "SELECT indexrelname AS name FROM pg_stat_user_indexes WHERE relname = 'captures' AND idx_scan > 0")
    private static let columns = PostgresStatement(
        "test_columns", "SELECT attname::text AS name FROM pg_stats WHERE tablename = 'captures' ORDER BY attname")
}
