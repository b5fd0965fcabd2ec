import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("The schema", .timeLimit(.minutes(3)))
struct SchemaTests {
    @Test func `migrations go up, down and up again`() async throws {
        try await withDatabase { client async throws in
            let migrator = Migrator(client: client)
            #expect(try await migrator.schemaVersion() == 0)
            await #expect(throws: StoreError(.refused, "")) { try await migrator.requireCurrent() }
            #expect(try await migrator.up(to: 1).map(\.description) == ["up 1 audit"])
            #expect(try await migrator.up().map(\.version) == Array(2...migrator.latestVersion))
            #expect(try await migrator.up().isEmpty)
            try await migrator.requireCurrent()
            let down = try await migrator.down(to: 0)
            #expect(down.map(\.version) == Array((1...migrator.latestVersion).reversed()))
            #expect(try await migrator.schemaVersion() == 0)
            #expect(try await leftovers(client) == ["schema_migrations"])
            #expect(try await migrator.up().count == migrator.latestVersion)
            await #expect(throws: StoreError(.refused, "")) { _ = try await migrator.up(to: 99) }
        }
    }

    @Test func `an edited migration is refused and nothing is done`() async throws {
        try await withDatabase { client async throws in
            let first = Migration(version: 1, name: "a", up: "CREATE TABLE a ()", down: "DROP TABLE a")
            let second = Migration(version: 2, name: "b", up: "CREATE TABLE b ()", down: "DROP TABLE b")
            _ = try await Migrator(client: client, migrations: [first]).up()
            let edited = Migration(version: 1, name: "a", up: "CREATE TABLE a (x int)", down: "DROP TABLE a")
            let migrator = Migrator(client: client, migrations: [edited, second])
            await #expect(throws: StoreError(.refused, "")) { _ = try await migrator.up() }
            await #expect(throws: StoreError(.refused, "")) { _ = try await migrator.down(to: 0) }
            #expect(try await leftovers(client) == ["a", "schema_migrations"])
        }
    }

    /// By its number alone it would be taken for one that a newer release has migrated.
    @Test func `a database of other steps is refused, however many it has, and the first other one is named`()
        async throws
    {
        try await withDatabase { client async throws in
            let first = Migration(version: 1, name: "a", up: "CREATE TABLE a ()", down: "DROP TABLE a")
            let second = Migration(version: 2, name: "b", up: "CREATE TABLE b ()", down: "DROP TABLE b")
            _ = try await Migrator(client: client, migrations: [first, second]).up()
            let other = Migrator(
                client: client, migrations: [Migration(version: 1, name: "c", up: "SELECT 1", down: "SELECT 1")])
            let words = "migration 1 of the database (a) is not this program's (c), and nothing was changed"
            #expect(try await other.objectionToSchema()?.message.hasPrefix(words) == true)
            let up = await #expect(throws: StoreError.self) { _ = try await other.up() }
            let down = await #expect(throws: StoreError.self) { _ = try await other.down(to: 0) }
            let start = await #expect(throws: StoreError.self) { try await other.requireCurrent() }
            for fault in [up, down, start] {
                #expect(fault?.code == .refused && fault?.message.hasPrefix(words) == true, "\(fault as Any)")
            }
            #expect(try await leftovers(client) == ["a", "b", "schema_migrations"])
        }
    }

    @Test func `what a newer release has migrated an older one keeps, and does not take back`() async throws {
        try await withDatabase { client async throws in
            let first = Migration(version: 1, name: "a", up: "CREATE TABLE a ()", down: "DROP TABLE a")
            let second = Migration(version: 2, name: "b", up: "CREATE TABLE b ()", down: "DROP TABLE b")
            _ = try await Migrator(client: client, migrations: [first, second]).up()
            for older in [Migrator(client: client, migrations: [first]), Migrator(client: client, migrations: [])] {
                #expect(try await older.up().isEmpty)
                try await older.requireCurrent()
                await #expect(throws: StoreError(.refused, "")) { _ = try await older.down(to: 0) }
                #expect(older.objection(toLeaving: 2) != nil)
                #expect(older.objection(toLeaving: older.latestVersion) == nil)
            }
            let edited = Migration(version: 1, name: "a", up: "CREATE TABLE a (x int)", down: "DROP TABLE a")
            let other = Migrator(client: client, migrations: [edited])
            await #expect(throws: StoreError(.refused, "")) { _ = try await other.up() }
            #expect(try await leftovers(client) == ["a", "b", "schema_migrations"])
        }
    }

    @Test func `a migration that fails leaves the steps before it and nothing of itself`() async throws {
        try await withDatabase { client async throws in
            let migrations = [
                Migration(version: 1, name: "a", up: "CREATE TABLE a ()", down: "DROP TABLE a"),
                Migration(version: 2, name: "b", up: "CREATE TABLE b (); SELECT 1/0", down: "DROP TABLE b"),
            ]
            let migrator = Migrator(client: client, migrations: migrations)
            let told = Mutex<[String]>([])
            await #expect(throws: StoreError(.refused, "")) {
                _ = try await migrator.up { step, moment in told.withLock { $0.append("\(step) \(moment)") } }
            }
            // Whoever waits knows what is under way, and whoever meets a fault what was done before it.
            #expect(told.withLock { $0 } == ["up 1 a begins", "up 1 a ended", "up 2 b begins"])
            #expect(try await migrator.schemaVersion() == 1)
            #expect(try await leftovers(client) == ["a", "schema_migrations"])
        }
    }

    @Test func `a database that does not have all characters is refused with the reason`() async throws {
        let server = try await PrivatePostgres.shared()
        let (name, _) = try await server.createNamedDatabase()
        let latin = "\(name)_latin"
        try await server.psql("CREATE DATABASE \(latin) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        try await withClient(server.conninfo(database: latin)) { client async throws in
            let fault = await #expect(throws: StoreError.self) { _ = try await Migrator(client: client).up() }
            #expect(fault?.message.contains("encoding is LATIN1, needed is UTF8") == true, "\(fault as Any)")
            #expect(try await leftovers(client) == [])
        }
    }

    @Test func `migrators that race take each step once`() async throws {
        try await withDatabase { client async throws in
            let steps = try await race(6) { _ in try await Migrator(client: client).up() }
            #expect(steps.flatMap { $0 }.map(\.version).sorted() == Array(1...Migration.all.count))
        }
    }

    @Test func `every file in Config is one of the migrations`() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = package.appending(path: "Config/Migrations")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count { $0.hasSuffix(".sql") } == 2 * Migration.all.count)
        for migration in Migration.all {
            for (direction, text) in [("up", migration.up), ("down", migration.down)] {
                let file = format(migration.version) + "_\(migration.name).\(direction).sql"
                #expect(try String(decoding: Data(contentsOf: folder.appending(path: file)), as: UTF8.self) == text)
            }
        }
    }

    @Test func `whoever waits for another's step waits as long as that takes`() async throws {
        let (database, conninfo) = try await PrivatePostgres.shared().createNamedDatabase()
        try await withClient(conninfo) { holder async throws in
            try await withClient(conninfo, { $0.lockTimeout = .milliseconds(100) }) { client async throws in
                let migration = Migration(
                    version: 1, name: "a", up: "CREATE TABLE a AS SELECT current_setting('lock_timeout') AS limits",
                    down: "DROP TABLE a")
                let steps = try await holder.withTransaction { connection throws(PostgresError) in
                    _ = try await connection.execute(Self.lock)
                    let migrator = Migrator(client: client, migrations: [migration])
                    let waiting = Task { try await migrator.up() }
                    // Longer than a lock is waited for.
                    do {
                        try await eventually {
                            try await PrivatePostgres.shared().psql(
                                """
                                SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)'
                                AND wait_event = 'advisory' AND now() - query_start > interval '300 milliseconds'
                                """) == "1"
                        }
                    } catch {
                        Issue.record(error)
                    }
                    return waiting
                }
                #expect(try await steps.value.map(\.version) == [1])
                // What the step itself locks is waited for no longer than ever.
                #expect(try await client.execute(Self.limits).first?.text("limits") == "100ms")
            }
        }
    }

    private static let limits = PostgresStatement("test_limits", "SELECT limits FROM a")
    private static let lock = PostgresStatement(
        "test_lock", "SELECT true AS locked FROM pg_advisory_xact_lock(1667330164)")

    @Test func `statements have names of their own`() {
        let names = Statements.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.utf8.count <= 63 && !$0.hasPrefix("client_") })
    }

    private func leftovers(_ client: PostgresClient) async throws -> [String] {
        try await client.execute(Self.tables).rows.map { try $0.text("name") }
    }

    private func format(_ version: Int) -> String {
        let digits = "\(version)"
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static let tables = PostgresStatement(
        "test_tables",
        """
        SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
        UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY name
        """)
}
