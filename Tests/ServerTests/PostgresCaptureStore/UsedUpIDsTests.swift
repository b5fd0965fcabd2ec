import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import Testing
import TestSupport
import Waiting

@Suite("A PostgreSQL without transaction ids", .timeLimit(.minutes(3)))
struct UsedUpIDsTests {
    /// What a call throws, or nothing.
    private func fault(_ call: () async throws(StoreError) -> Void) async -> StoreError? {
        do throws(StoreError) {
            try await call()
            return nil
        } catch {
            return error
        }
    }

    @Test func `whoever writes is refused for now, and the same batch is taken afterwards`() async throws {
        let server = try await PrivatePostgres.start(PrivatePostgres.forUsedUpIDs)
        let conninfo = try await server.createDatabase()
        try await withClient(conninfo, connections: 2, { $0.backoff.cap = .milliseconds(100) }) {
            client async throws in
            _ = try await Migrator(client: client).up()
            let store = PostgresCaptureStore(client: client)
            let device = try await store.registered()
            let batch = (1...3).map { ExaminedCapture.sample(device, counter: $0) }
            try await server.useUpTransactionIDs()
            try await eventually {
                await fault { () async throws(StoreError) in try await store.ping() }?.scope == .limit
            }
            let refused = await fault { () async throws(StoreError) in
                _ = try await store.settle(batch, policy: .strict)
            }
            #expect(refused?.scope == .limit && refused?.isTransient == true && refused?.isRefusal == true)
            #expect(refused?.description.hasPrefix("store unavailable 54000: ") == true, "\(refused as Any)")
            let ids = try await TransactionIDs.read(from: client)
            #expect(ids.used >= 2_144_483_647 && ids.multixactsUsed < 1_000_000, "\(ids)")
            #expect(ids.holders.map(\.name) == ["forgotten"] && ids.holders.allSatisfy(\.isForgotten), "\(ids)")
            try await server.freeTransactionIDs()
            try await eventually {
                await fault { () async throws(StoreError) in try await store.ping() } == nil
            }
            #expect(try await store.settle(batch, policy: .strict).map(\.verdict) == batch.map { _ in .verified })
        }
        try await server.stop()
    }

    @Test func `a server that keeps its catalogue to itself is asked for the rest`() async throws {
        let server = try await PrivatePostgres.start(["max_prepared_transactions=2"])
        try await server.psql("CREATE ROLE plain LOGIN")
        try await server.psql("REVOKE SELECT ON pg_database FROM PUBLIC")
        let plain = server.conninfo(database: "postgres").replacing("user=capture", with: "user=plain")
        try await withClient(plain, connections: 1) { client async throws in
            try await client.ping()
            let refused = await fault { () async throws(StoreError) in _ = try await TransactionIDs.read(from: client) }
            #expect(refused?.code == .refused, "\(refused as Any)")
        }
        try await server.stop()
    }

    @Test func `a role with the programs' rights sees prepared transactions and slots`() async throws {
        let server = try await PrivatePostgres.start(["wal_level=logical", "max_prepared_transactions=2"])
        try await server.psql("CREATE ROLE plain LOGIN")
        try await server.psql("SELECT pg_create_physical_replication_slot('standby', true)")
        try await server.psql("SELECT pg_create_logical_replication_slot('copy', 'pgoutput')")
        try await server.psql("BEGIN; CREATE TABLE t (); PREPARE TRANSACTION 'gone'")
        let plain = server.conninfo(database: "postgres").replacing("user=capture", with: "user=plain")
        try await withClient(plain, connections: 1) { client async throws in
            let ids = try await TransactionIDs.read(from: client)
            #expect(ids.used > 0 && ids.used < 1_000_000, "\(ids)")
            let slots = Dictionary(uniqueKeysWithValues: ids.holders.map { ($0.name, $0.isSlot) })
            #expect(slots == ["standby": true, "copy": true, "gone": false])
            #expect(ids.holders.allSatisfy { !$0.isForgotten })
        }
        try await server.stop()
    }
}
