import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("Faults of the record", .timeLimit(.minutes(2)))
struct StoreFaultTests {
    /// The server refuses every result with the SQLSTATE in a table.
    private static let refusal = PostgresStatement(
        "test_refusal",
        """
        DO $do$ BEGIN
            CREATE TABLE refusal (state text);
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $fn$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = (SELECT state FROM refusal); END $fn$;
            CREATE TRIGGER refuse BEFORE INSERT ON captures FOR EACH ROW EXECUTE FUNCTION refuse();
        END $do$
        """)

    private static let refusalState = PostgresStatement("test_refusal_state", "INSERT INTO refusal VALUES ($1)")

    private func refuse(_ state: String, by client: PostgresClient) async throws {
        _ = try await client.execute(Self.refusal)
        _ = try await client.execute(Self.refusalState, [.text(state)])
    }

    /// The constraints of the schema keep both from happening.
    @Test(arguments: [("key_id", "'\\x00'"), ("counter", "4294967296")])
    func `a result with a damaged key or counter is malformed, not one without a device or with another counter`(
        column: String, value: String
    ) async throws {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered()
            let capture = ExaminedCapture.sample(device, counter: 5)
            _ = try await store.settle([capture], policy: .strict)
            try await client.executeScript(
                """
                ALTER TABLE captures DISABLE TRIGGER captures_kept;
                ALTER TABLE captures DROP CONSTRAINT captures_\(column)_check;
                UPDATE captures SET \(column) = \(value)
                """)
            await #expect(throws: StoreError(.malformedRow, "")) {
                _ = try await store.results(of: [capture.job.id])
            }
        }
    }

    private static let noRefusal = PostgresStatement("test_no_refusal", "DROP TRIGGER refuse ON captures")

    @Test(arguments: [
        "40001", "40P01", "55P03", "57014", "53200", "53300", "57P01", "57P02", "57P03", "25006",
    ])
    func `a transient refusal is told as such, and the same batch is taken afterwards`(state: String) async throws {
        try await withPostgresStore(connections: 2) { store, client async throws in
            let device = try await store.registered()
            let batch = (1...3).map { ExaminedCapture.sample(device, counter: $0) }
            try await refuse(state, by: client)
            let fault = await #expect(throws: StoreError.self) { try await store.settle(batch, policy: .strict) }
            #expect(fault?.isTransient == true && fault?.mayBeOfOneCapture == false)
            #expect(fault?.description.contains(" \(state): ") == true)
            _ = try await client.execute(Self.noRefusal)
            #expect(try await store.settle(batch, policy: .strict).map(\.verdict) == batch.map { _ in .verified })
        }
    }

    @Test(arguments: ["08006", "08P01", "40003"])
    func `a connection that broke behind a pooler leaves an unknown outcome`(state: String) async throws {
        try await withPostgresStore(connections: 2) { store, client async throws in
            let device = try await store.registered()
            let batch = (1...3).map { ExaminedCapture.sample(device, counter: $0) }
            try await refuse(state, by: client)
            let fault = await #expect(throws: StoreError(.outcomeUnknown, "")) {
                try await store.settle(batch, policy: .strict)
            }
            #expect(fault?.isTransient == true && fault?.mayBeOfOneCapture == false)
            _ = try await client.execute(Self.noRefusal)
            #expect(try await store.settle(batch, policy: .strict).map(\.verdict) == batch.map { _ in .verified })
        }
    }

    @Test(arguments: ["22003", "23514", "P0001", "54000"])
    func `a refusal of the content is told as such`(state: String) async throws {
        try await withPostgresStore(connections: 2) { store, client async throws in
            let device = try await store.registered()
            try await refuse(state, by: client)
            let fault = await #expect(throws: StoreError.self) {
                try await store.settle([.sample(device, counter: 1)], policy: .strict)
            }
            #expect(fault?.description.hasPrefix("store refused \(state): ") == true, "\(fault as Any)")
            #expect(fault?.scope == .content)
        }
    }

    @Test func `a missing function meets everybody`() async throws {
        try await withPostgresStore(connections: 2) { store, client async throws in
            let device = try await store.registered()
            _ = try await client.execute(
                PostgresStatement("test_drop", "DROP FUNCTION capture_settle_v1"))
            let fault = await #expect(throws: StoreError.self) {
                try await store.settle([.sample(device, counter: 1)], policy: .strict)
            }
            #expect(fault?.description.hasPrefix("store refused 42883: ") == true && fault?.scope == .everybody)
        }
    }

    @Test func `a held lock is a conflict, and a session that is ended while it waits is an outage`() async throws {
        let conninfo = try await PrivatePostgres.shared().createDatabase()
        try await withClient(conninfo, connections: 4) { client in
            _ = try await Migrator(client: client).up()
            let device = try await PostgresCaptureStore(client: client).registered()
            let batch = [ExaminedCapture.sample(device, counter: 1)]
            let hold = PostgresStatement("test_hold", "SELECT key_id FROM counters FOR UPDATE")
            try await client.withTransaction { holder async throws(PostgresError) in
                _ = try await holder.execute(hold)
                await meetsLock(conninfo, batch)
                await losesSession(conninfo, batch, by: client)
            }
            let store = PostgresCaptureStore(client: client)
            #expect(try await store.settle(batch, policy: .strict).first?.verdict == .verified)
        }
    }

    /// What settling throws, or nothing.
    private func fault(_ store: PostgresCaptureStore, _ batch: [ExaminedCapture]) async -> StoreError? {
        do throws(StoreError) {
            _ = try await store.settle(batch, policy: .strict)
            return nil
        } catch {
            return error
        }
    }

    private func meetsLock(_ conninfo: String, _ batch: [ExaminedCapture]) async {
        do {
            try await withClient(conninfo, { $0.lockTimeout = .milliseconds(50) }) { hasty in
                let fault = await fault(PostgresCaptureStore(client: hasty), batch)
                #expect(fault?.description.hasPrefix("store conflict 55P03: ") == true)
            }
        } catch {
            Issue.record(error)
        }
    }

    private func losesSession(_ conninfo: String, _ batch: [ExaminedCapture], by client: PostgresClient) async {
        let end = PostgresStatement(
            "test_end",
            """
            SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            """)
        do {
            try await withClient(conninfo, connections: 1) { waiting in
                async let met = fault(PostgresCaptureStore(client: waiting), batch)
                try await eventually { try await client.execute(end).first != nil }
                let fault = await met
                #expect(fault?.description.hasPrefix("store unavailable 57P01: ") == true, "\(fault as Any)")
            }
        } catch {
            Issue.record(error)
        }
    }

    @Test func `a server without a free connection is an outage`() async throws {
        let server = try await PrivatePostgres.start([
            "max_connections=3", "superuser_reserved_connections=0", "max_wal_senders=0",
        ])
        let conninfo = try await server.createDatabase()
        let look = PostgresStatement("test_look", "SELECT 1 AS one")
        try await withClient(conninfo, connections: 3) { crowd in
            try await crowd.withTransaction { first async throws(PostgresError) in
                _ = try await first.execute(look)
                try await crowd.withTransaction { second async throws(PostgresError) in
                    _ = try await second.execute(look)
                    try await crowd.withTransaction { third async throws(PostgresError) in
                        _ = try await third.execute(look)
                        await findsNoConnection(conninfo)
                    }
                }
            }
        }
        try await server.stop()
    }

    private func findsNoConnection(_ conninfo: String) async {
        do {
            try await withClient(conninfo, connections: 1, { $0.acquireTimeout = .milliseconds(500) }) { late in
                let store = PostgresCaptureStore(client: late)
                await #expect(throws: StoreError(.unavailable, "")) { try await store.ping() }
            }
        } catch {
            Issue.record(error)
        }
    }
}
