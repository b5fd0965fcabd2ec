import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import Testing

/// How PostgreSQL goes about settling, however large the table has become since it made its plans.
@Suite("Plans of settling", .timeLimit(.minutes(3)))
struct SettlePlanTests {
    /// A connection keeps its plans: one that is made while the table is known to be empty finds nothing too long.
    @Test(arguments: ["", "ANALYZE", "VACUUM ANALYZE"])
    func `settling goes by indexes from the first row to the last`(_ maintenance: String) async throws {
        try await withPostgresStore(connections: 1) { store, client async throws in
            let device = try await store.registered()
            if !maintenance.isEmpty { try await run(maintenance, client) }
            try await settle(0..<20, of: device, in: store)
            // As long as there is next to nothing in the table, any index of it will do.
            let before = try await endToEnd(client)
            try await settle(20..<40, of: device, in: store)
            _ = try await store.settle((1...50).map { .sample(device, counter: $0) }, policy: .window(2_000))
            #expect(try await endToEnd(client) == before)
            let reads = try await client.execute(Self.reads).first
            #expect(try reads?.int8("by_table") == 0)
        }
    }

    /// The key is locked meanwhile, and its successor's captures wait.
    @Test func `a late capture of a superseded registration reads none of the key's results`() async throws {
        try await withPostgresStore(connections: 1) { store, client async throws in
            let first = try await store.registered(level: .unverified)
            try await run(VerifiedResults.insert(5_000, from: "2026-01-01 00:00:00+00"), client)
            try await run("UPDATE counters SET capture_highest = 5000", client)
            let second = DeviceRegistration.sample(at: moment(20))
            #expect(try await store.register(second) == .created)
            let since = try #require(try await store.record(of: first.id)?.registration.device.revokedAt)
            let later = (UInt32(6_001)...6_200).map {
                ExaminedCapture.sample(second.device, counter: $0, receivedAt: moment(21))
            }
            _ = try await store.settle(later, policy: .strict)
            let before = try await entriesRead(client)
            let late: [(counters: ClosedRange<UInt32>, receivedAt: Timestamp, reason: Reason?)] = [
                (5_001...5_016, since, .deviceRevoked), (5_001...5_016, moment(19), nil),
                (5_012...5_016, moment(19), .counterReplay), (4_000...4_001, moment(19), .counterReplay),
                (5_017...5_017, moment(19), nil),
            ]
            for (counters, receivedAt, reason) in late {
                let batch = counters.map { ExaminedCapture.sample(first, counter: $0, receivedAt: receivedAt) }
                let reasons = try await store.settle(batch, policy: .strict).map(\.reason)
                #expect(reasons == Array(repeating: reason, count: batch.count))
            }
            // Each capture's own id and counter are looked for.
            #expect(try await entriesRead(client) - before < 300)
        }
    }

    private func entriesRead(_ client: PostgresClient) async throws -> Int64 {
        _ = try await client.execute(Self.flush)
        return try #require(try await client.execute(Self.entries).first).int8("entries")
    }

    /// Settles batches that each contain a capture to reject, which costs further look-ups, and some of them twice, as
    /// after a crash before the acknowledgement.
    private func settle(_ steps: Range<UInt32>, of device: Device, in store: PostgresCaptureStore) async throws {
        for step in steps {
            var batch: [ExaminedCapture] = (1...50).map { .sample(device, counter: step * 50 + $0) }
            batch.append(.sample(device, counter: step * 50 + 50, rejection: .photoHashMismatch))
            _ = try await store.settle(batch, policy: .strict)
            _ = try await store.settle(Array(batch.prefix(5)), policy: .strict)
        }
    }

    /// How often an index was scanned in which `id` is not the first column, so that all of it had to be read.
    private func endToEnd(_ client: PostgresClient) async throws -> Int64 {
        // Statistics are sent at the end of a transaction at the earliest: this asks for them now.
        _ = try await client.execute(Self.flush)
        return try #require(try await client.execute(Self.otherIndexes).first).int8("scans")
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
        try await client.executeScript(script)
    }

    private static let flush = PostgresStatement("test_flush", "SELECT pg_stat_force_next_flush()::text AS done")
    private static let reads = PostgresStatement(
        "test_reads", "SELECT seq_tup_read AS by_table FROM pg_stat_user_tables WHERE relname = 'captures'")
    private static let otherIndexes = PostgresStatement(
        "test_indexes",
        """
        SELECT sum(idx_scan)::bigint AS scans FROM pg_stat_user_indexes
        WHERE relname = 'captures' AND indexrelname NOT IN ('captures_pkey', 'captures_counter_used')
        """)
    private static let entries = PostgresStatement(
        "test_entries",
        "SELECT sum(idx_tup_read)::bigint AS entries FROM pg_stat_user_indexes WHERE relname = 'captures'")
    private static let columns = PostgresStatement(
        "test_columns", "SELECT attname::text AS name FROM pg_stats WHERE tablename = 'captures' ORDER BY attname")
}
