import TestSupport
import Testing

/// What a restore that broke off leaves: every row, and a version that is this release's.
extension DoctorCommandTests {
    @Test func `a schema without some of its parts is a problem`() async throws {
        let stack = try await Stack.start()
        try await stack.psql(
            """
            DROP TRIGGER captures_close_intake ON captures;
            DROP INDEX captures_counter_used;
            ALTER FUNCTION capture_settle_v1 RENAME TO other
            """)
        let ill = try await stack.capturectlJSON("doctor")
        #expect(ill.exitCode == 1 && states(ill.object)["PostgreSQL schema"] == "ok", "\(ill.object)")
        let parts = try check("parts of the schema", of: ill.object)
        #expect(parts["state"] as? String == "problem", "\(parts)")
        let missing = [
            "function capture_settle_v1", "index captures_counter_used of captures",
            "trigger captures_close_intake of captures",
        ]
        #expect(parts["examples"] as? [String] == missing, "\(parts)")
    }

    @Test func `a database that another program has made is a problem, whatever its version`() async throws {
        let stack = try await Stack.start()
        try await stack.psql("UPDATE schema_migrations SET name = 'another', checksum = '' WHERE version = 1")
        let report = try await stack.capturectlJSON("doctor")
        let schema = try check("PostgreSQL schema", of: report.object)
        #expect(report.exitCode == 1 && schema["state"] as? String == "problem", "\(schema)")
        let found = try #require(schema["found"] as? String)
        #expect(found.hasPrefix("migration 1 of the database (another) is not this program's (audit)"), "\(found)")
        #expect(states(report.object)["parts of the schema"] == "note")
        let down = try await stack.capturectl("migrate", "--down-to", "0", "--yes")
        #expect(down.exitCode == 70 && down.output.contains("migration 1 of the database"), "\(down.output)")
    }

    @Test func `the parts of a newer release's schema are not looked at`() async throws {
        let stack = try await Stack.start()
        try await stack.psql(
            """
            INSERT INTO schema_migrations (version, name, checksum)
            SELECT max(version) + 1, 'newer', '' FROM schema_migrations;
            DROP INDEX captures_of_photo
            """)
        let report = try await stack.capturectlJSON("doctor")
        #expect(report.exitCode == 0, "\(report.object)")
        #expect(states(report.object)["PostgreSQL schema"] == "note")
        #expect(states(report.object)["parts of the schema"] == "note")
    }
}
