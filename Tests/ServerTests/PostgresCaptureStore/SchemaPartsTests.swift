import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("The parts of the schema", .timeLimit(.minutes(2)))
struct SchemaPartsTests {
    @Test func `the list has what the migrations make, and nothing else`() async throws {
        try await withPostgresStore { _, client async throws in
            let parts = try await Migrator(client: client).parts()
            let listed = Set(SchemaParts.all)
            #expect(parts.subtracting(listed).sorted() == [])
            #expect(listed.subtracting(parts).sorted() == [])
            #expect(listed.count == SchemaParts.all.count)
        }
    }

    @Test(arguments: [
        ("DROP TRIGGER captures_close_intake ON captures", "trigger captures_close_intake of captures"),
        ("ALTER TABLE audit DISABLE TRIGGER audit_kept", "trigger audit_kept of audit"),
        ("DROP INDEX captures_counter_used", "index captures_counter_used of captures"),
        ("ALTER TABLE intake DROP CONSTRAINT intake_pkey", "constraint intake_pkey of intake"),
        ("ALTER TABLE captures RENAME counter_highest TO other", "column counter_highest of captures"),
        ("ALTER FUNCTION assertion_counter RENAME TO other", "function assertion_counter"),
        ("ALTER FUNCTION attested_apps_v1 RENAME TO other", "function attested_apps_v1"),
        ("ALTER FUNCTION capture_intake_v1 RENAME TO other", "function capture_intake_v1"),
        ("ALTER FUNCTION capture_settle_v1 RENAME TO other", "function capture_settle_v1"),
        ("ALTER VIEW known_devices_v1 RENAME TO other", "view known_devices_v1"),
    ])
    func `what is gone is named`(sql: String, part: String) async throws {
        try await withPostgresStore { _, client async throws in
            try await run(sql, client)
            #expect(try await Migrator(client: client).missingParts() == [part])
        }
    }

    @Test func `what an operator has added is nobody's business`() async throws {
        try await withPostgresStore { _, client async throws in
            try await run(
                """
                CREATE TABLE notes (id integer PRIMARY KEY);
                CREATE VIEW noted AS SELECT id FROM notes;
                CREATE FUNCTION note() RETURNS integer LANGUAGE sql AS 'SELECT 1';
                ALTER TABLE captures ADD COLUMN note integer;
                CREATE INDEX captures_of_ours ON captures (received_at);
                ALTER TABLE captures ADD CONSTRAINT of_ours CHECK (attempts < 1000);
                CREATE TRIGGER of_ours BEFORE UPDATE ON counters FOR EACH ROW
                    EXECUTE FUNCTION suppress_redundant_updates_trigger();
                """, client)
            #expect(try await Migrator(client: client).missingParts() == [])
        }
    }

    private func run(_ sql: String, _ client: PostgresClient) async throws {
        try await client.executeScript(sql)
    }
}
