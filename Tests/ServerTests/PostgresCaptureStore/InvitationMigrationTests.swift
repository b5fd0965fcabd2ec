import CaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("Invitations before and after the migration that removes them with their session", .timeLimit(.minutes(2)))
struct InvitationMigrationTests {
    @Test func `invitations whose session was purged do not stay, and go with it from now on`() async throws {
        let server = try await PrivatePostgres.shared()
        let (database, conninfo) = try await server.createNamedDatabase()
        try await withClient(conninfo) { client in
            let migrator = Migrator(client: client)
            _ = try await migrator.up(to: 16)
            try await server.psql(Self.rows, database: database)
            _ = try await migrator.up()
            #expect(try await Self.left(server, database) == "open session unused")

            // Purges as gateways of another release may do: during a rolling update they run beside the new ones.
            try await server.psql(
                "DELETE FROM enrolments USING invitations WHERE invitation_id = invitations.id AND note = 'session'",
                database: database)
            #expect(try await Self.left(server, database) == "open unused")

            let store = PostgresCaptureStore(client: client)
            try await server.psql(
                "UPDATE enrolments SET expires_at = created_at + interval '1 second'", database: database)
            #expect(try await store.purgeEnrolments(expiredFor: .seconds(60), limit: 100) == 2)
            #expect(try await Self.left(server, database).isEmpty)
        }
    }

    private static func left(_ server: PrivatePostgres, _ database: String) async throws -> String {
        try await server.psql("SELECT string_agg(note, ' ' ORDER BY note) FROM invitations", database: database)
    }

    /// All of them expired long ago; two have sessions that are not enrolled.
    private static let rows = """
        INSERT INTO invitations (id, code_digest, note, created_at, created_by, expires_at, used_at)
        SELECT gen_random_uuid(), sha256(note::bytea), note, '2026-01-01Z', 'alice', '2026-01-02Z',
            CASE WHEN note <> 'unused' THEN timestamptz '2026-01-01 12:00Z' END
        FROM unnest(ARRAY['gone', 'open', 'session', 'unused']) AS note;
        INSERT INTO enrolments (id, user_guid, invitation_id, device_id, state, created_at, expires_at)
        SELECT gen_random_uuid(), gen_random_uuid(), id, gen_random_uuid(), 'attestation_required', '2026-01-01Z',
            '2099-01-01Z'
        FROM invitations WHERE note IN ('open', 'session');
        """
}
