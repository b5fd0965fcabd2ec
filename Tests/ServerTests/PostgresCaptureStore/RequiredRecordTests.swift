import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("A record whose clients require its installation", .timeLimit(.minutes(3)))
struct RequiredRecordTests {
    /// Runs a body with a migrated database of the shared server: its name, and a client that requires it.
    private func withRecord(
        _ body: (_ name: String, _ installation: PostgresInstallation, _ store: PostgresCaptureStore) async throws ->
            Void
    ) async throws {
        let (name, conninfo) = try await PrivatePostgres.shared().createNamedDatabase()
        try await withClient(conninfo, connections: 2) { client async throws in
            _ = try await Migrator(client: client).up()
            let installation = PostgresInstallation(client: client)
            installation.require(try await installation.require())
            try await body(name, installation, PostgresCaptureStore(client: client))
        }
    }

    /// Writes into the record.
    private func note(_ store: PostgresCaptureStore) async throws {
        try await store.recordAudit(
            AuditEntry(at: moment(0), actor: "alice", action: "test", subject: "test", details: [:]))
    }

    /// How many of these writes a database has.
    private func notes(_ database: String) async throws -> String {
        try await PrivatePostgres.shared().psql("SELECT count(*) FROM audit WHERE actor = 'alice'", database: database)
    }

    /// Ends a database's sessions, so that the next call needs a new one.
    private func endSessions(_ database: String) async throws {
        try await PrivatePostgres.shared().psql(
            "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE datname = '\(database)'")
    }

    @Test func `nothing is sent to another installation's record that the database's name has come to lead to`()
        async throws
    {
        let server = try await PrivatePostgres.shared()
        try await withRecord { name, installation, store async throws in
            try await note(store)
            try await withRecord { otherName, other, _ async throws in
                let otherID = try await other.require()
                try await server.swapDatabases(name, otherName)
                await #expect(throws: StoreError(.unavailable, "")) { try await note(store) }
                #expect(installation.other == otherID)
                #expect(try await notes(name) == "0")
                try await server.swapDatabases(name, otherName)
                try await eventually { (try? await note(store)) != nil }
                #expect(try await notes(name) == "2")
                #expect(installation.other == otherID, "whoever looks a moment later learns it, too")
            }
        }
    }

    @Test func `a session that was there before it is known whose the record must be is asked as well`() async throws {
        try await withPostgresStore { _, client async throws in
            let installation = PostgresInstallation(client: client)
            let own = try await installation.require()
            installation.require(InstallationID(UUID()))
            await #expect(throws: StoreError(.unavailable, "")) { try await installation.require() }
            #expect(installation.other == own)
        }
    }

    /// As where somebody makes a schema for each user, and an older release's `migrate` then a record in it.
    @Test func `statements stay in the record's schema, and a record that is before it on the search path is another`()
        async throws
    {
        let server = try await PrivatePostgres.shared()
        try await withRecord { name, installation, store async throws in
            let own = try await installation.require()
            try await server.psql(
                """
                CREATE SCHEMA capture;
                CREATE TABLE capture.audit (LIKE public.audit INCLUDING ALL);
                CREATE TABLE capture.installation AS SELECT gen_random_uuid() AS id
                """, database: name)
            try await note(store)
            #expect(try await server.psql("SELECT count(*) FROM capture.audit", database: name) == "0")
            #expect(try await installation.require() == own)
            try await endSessions(name)
            await #expect(throws: StoreError(.unavailable, "")) { try await note(store) }
            let other = try await server.psql("SELECT id FROM capture.installation", database: name)
            #expect(installation.other.map { "\($0)" } == other)
            #expect(try await server.psql("SELECT count(*) FROM capture.audit", database: name) == "0")
        }
    }

    @Test func `a session that does not say whose the record is is not used, and is nobody else's`() async throws {
        let server = try await PrivatePostgres.shared()
        try await withRecord { name, installation, store async throws in
            try await server.psql("ALTER TABLE installation RENAME TO away", database: name)
            try await endSessions(name)
            let fault = await #expect(throws: StoreError(.refused, "")) { try await note(store) }
            #expect(fault?.isOfSchema == true && fault?.mayBeOfOneCapture == false, "\(fault as Any)")
            #expect(try await notes(name) == "0")
            #expect(installation.other == nil)
            try await server.psql("ALTER TABLE away RENAME TO installation", database: name)
            try await eventually { (try? await note(store)) != nil }
        }
    }

    @Test func `a server that only reads says whose the record is`() async throws {
        let server = try await PrivatePostgres.shared()
        try await withRecord { name, installation, store async throws in
            try await server.psql("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            try await endSessions(name)
            _ = try await installation.require()
            #expect(installation.other == nil)
            let fault = await #expect(throws: StoreError.self) { try await note(store) }
            #expect(fault?.scope == .writers)
        }
    }
}
