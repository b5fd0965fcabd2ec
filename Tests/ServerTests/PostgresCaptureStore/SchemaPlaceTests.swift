import CaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("The schema in which migrations are taken", .timeLimit(.minutes(3)))
struct SchemaPlaceTests {
    /// Runs a body with a database that was migrated to a version, and the name of both.
    private func withMigrated(
        to version: Int? = nil, _ body: (_ name: String, _ conninfo: String) async throws -> Void
    ) async throws {
        let (name, conninfo) = try await PrivatePostgres.shared().createNamedDatabase()
        try await withClient(conninfo) { client async throws in _ = try await Migrator(client: client).up(to: version) }
        try await body(name, conninfo)
    }

    /// How many tables the schema of the role's own name has, which comes first on the search path.
    private func tables(_ database: String) async throws -> String {
        try await PrivatePostgres.shared().psql(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'capture'::regnamespace AND relkind = 'r'",
            database: database)
    }

    @Test func `migrations go on where they have begun, whatever has come before it on the search path`() async throws {
        try await withMigrated(to: 9) { name, conninfo in
            try await PrivatePostgres.shared().psql("CREATE SCHEMA capture", database: name)
            try await withClient(conninfo) { client async throws in
                let migrator = Migrator(client: client)
                #expect(try await migrator.up().map(\.version) == Array(10...migrator.latestVersion))
                #expect(try await migrator.up().isEmpty)
                try await migrator.requireCurrent()
                #expect(try await migrator.missingParts() == [])
                #expect(try await migrator.down(to: 8).count == migrator.latestVersion - 8)
                #expect(try await migrator.up().count == migrator.latestVersion - 8)
            }
            #expect(try await tables(name) == "0")
        }
    }

    /// Its session looked for the list before it waited.
    @Test func `whoever waits for another's first step takes the list of migrations that it has made`() async throws {
        let (name, conninfo) = try await PrivatePostgres.shared().createNamedDatabase()
        try await withClient(conninfo) { holder async throws in
            try await withClient(conninfo, connections: 1) { client async throws in
                let migrator = Migrator(client: client)
                #expect(try await migrator.schemaVersion() == 0)
                let steps = try await holder.withTransaction { connection throws(PostgresError) in
                    _ = try await connection.execute(Statements.lockMigrations, AdvisoryLock.migrations.values)
                    let waiting = Task { try await migrator.up() }
                    do {
                        try await eventually {
                            try await PrivatePostgres.shared().psql(
                                """
                                SELECT count(*) FROM pg_stat_activity
                                WHERE datname = '\(name)' AND wait_event = 'advisory'
                                """) == "1"
                        }
                    } catch {
                        Issue.record(error)
                    }
                    _ = try await connection.execute(Statements.createMigrations)
                    return waiting
                }
                #expect(try await steps.value.count == migrator.latestVersion)
            }
        }
    }

    /// As an older release made one.
    @Test func `a list of migrations beside the record's is refused until it is gone`() async throws {
        let server = try await PrivatePostgres.shared()
        try await withMigrated { name, conninfo in
            try await server.psql(
                """
                CREATE SCHEMA capture;
                CREATE TABLE capture.schema_migrations (LIKE public.schema_migrations INCLUDING ALL)
                """, database: name)
            try await withClient(conninfo) { client async throws in
                let fault = await #expect(throws: StoreError(.refused, "")) {
                    _ = try await Migrator(client: client).up()
                }
                let words = "drop capture.schema_migrations if it is empty"
                #expect(fault?.message.contains(words) == true, "\(fault as Any)")
                #expect(try await tables(name) == "1")
                try await server.psql("DROP TABLE capture.schema_migrations", database: name)
                #expect(try await Migrator(client: client).up().isEmpty)
            }
        }
    }

    @Test func `a role is granted its rights where the migrations are, and not in a schema that has come since`()
        async throws
    {
        let server = try await PrivatePostgres.shared()
        try await withMigrated { name, conninfo in
            let role = "programs_\(name)"
            try await server.psql(
                "CREATE SCHEMA capture; CREATE TABLE capture.captures (); CREATE ROLE \(role)", database: name)
            try await withClient(conninfo) { client async throws in
                _ = try await Migrator(client: client).grant(to: role)
            }
            for (schema, isGranted) in [("public", "t"), ("capture", "f")] {
                let answer = try await server.psql(
                    "SELECT has_table_privilege('\(role)', '\(schema).captures', 'INSERT')", database: name)
                #expect(answer.hasPrefix(isGranted), "\(schema): \(answer)")
            }
        }
    }

    @Test func `where nothing is to be done no right to create anything is needed`() async throws {
        let server = try await PrivatePostgres.shared()
        try await withMigrated { name, conninfo in
            let role = "reader_\(name)"
            try await server.psql(
                """
                REVOKE CREATE ON SCHEMA public FROM PUBLIC;
                CREATE ROLE \(role) LOGIN;
                GRANT SELECT ON schema_migrations, installation TO \(role)
                """, database: name)
            let own = conninfo.replacing("user=capture", with: "user=\(role)")
            try await withClient(own) { client async throws in
                #expect(try await Migrator(client: client).up().isEmpty)
                try await Migrator(client: client).requireCurrent()
            }
        }
    }
}
