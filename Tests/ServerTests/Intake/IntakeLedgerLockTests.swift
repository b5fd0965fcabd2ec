import CaptureModel
import CaptureStore
import Foundation
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("The lock of the intake ledger", .timeLimit(.minutes(3)))
struct IntakeLedgerLockTests {
    @Test(arguments: LedgerKind.allCases)
    func `only one at a time has the ledger to itself`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let isTurnedAway = try await ledger.exclusively {
                do { return try await ledger.exclusively { true } == nil } catch { return false }
            }
            #expect(isTurnedAway == true, "nobody else meanwhile")
            #expect(try await ledger.exclusively { 2 } == 2)
        }
    }

    @Test func `a lock that another session has is told, and goes with the connection`() async throws {
        let conninfo = try await PrivatePostgres.shared().createDatabase()
        try await withClient(conninfo, connections: 1) { client async throws in
            // As where a pooler lends sessions for single transactions: another one unlocks than has locked.
            try await client.executeScript(
                """
                CREATE SCHEMA pooler;
                CREATE FUNCTION pooler.pg_advisory_unlock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false';
                """)
            let pooled = conninfo + " options='-c search_path=pooler,pg_catalog'"
            try await withClient(pooled, connections: 1) { pooled async throws in
                let fault = await #expect(throws: StoreError(.refused, "")) {
                    _ = try await PostgresIntakeLedger(client: pooled).exclusively { 1 }
                }
                #expect(fault?.mayBeOfOneCapture == false)
                // The server may take a moment to notice that the session is gone.
                try await eventually { try await PostgresIntakeLedger(client: client).exclusively { 2 } == 2 }
            }
        }
    }

    private static let endLocker = PostgresStatement(
        "test_end_locker",
        """
        SELECT count(pg_terminate_backend(pid, 60000)) AS ended FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """)

    /// As where the server or a proxy ends sessions that are idle for long.
    @Test func `what was done under a lock counts, although the lock's session is gone`() async throws {
        try await withPostgresStore { _, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let done = try await ledger.exclusively {
                do {
                    #expect(try await client.execute(Self.endLocker).first?.int8("ended") == 1)
                } catch {
                    Issue.record(error)
                }
                return 7
            }
            #expect(done == 7)
            #expect(try await ledger.exclusively { 8 } == 8)
        }
    }
}
