import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("Plans of lists that operators page through", .timeLimit(.minutes(3)))
struct ListPagePlanTests {
    private static let last = "'00000000-0000-4000-8000-000000000010'"

    private static let questions: [(statement: PostgresStatement, arguments: String, index: String)] = [
        (Statements.listDevices, "5", "devices_newest_first"),
        (Statements.listDevicesAfter, "5, \(last)", "devices_newest_first"),
        (Statements.listInvitations, "5", "invitations_newest_first"),
        (Statements.listInvitationsAfter, "5, \(last)", "invitations_newest_first"),
    ]

    /// The server keeps the plan of a statement that is prepared once, if it takes it for as good as each new one.
    @Test(arguments: ["force_generic_plan", "force_custom_plan"])
    func `the first page and the last are read by index, and no further than they are long`(
        mode: String
    ) async throws {
        let database = try await MigratedDatabase()
        try await database.psql(Self.rows)
        for (statement, arguments, index) in Self.questions {
            let plan = try await database.plan(
                of: statement, arguments, "plan_cache_mode = \(mode)", "enable_seqscan = off")
            let counts = plan.matches(of: /actual rows=(\d+)/).compactMap { Int($0.1) }
            #expect(counts.max() == 5, "\(statement.name):\n\(plan)")
            #expect(plan.contains(index) && !plan.contains("Rows Removed by Filter"), "\(statement.name):\n\(plan)")
        }
    }

    /// Devices and invitations, the older the lower their number: ten are older than the place that is asked for, or as old.
    private static let rows = """
        INSERT INTO counters (key_id, last_seen) SELECT sha256(d::text::bytea), now() FROM generate_series(1, 2000) AS d;
        INSERT INTO devices (id, key_id, algorithm, level, platform, model, has_lidar, registered_at)
        SELECT ('00000000-0000-4000-8000-' || lpad(d::text, 12, '0'))::uuid, sha256(d::text::bytea), 'p256',
            'unverified', 'ios', 'iPhone16,1', true, timestamptz '2026-01-01' + d * interval '1 minute'
        FROM generate_series(1, 2000) AS d;
        INSERT INTO invitations (id, code_digest, created_at, created_by, expires_at)
        SELECT devices.id, key_id, registered_at, 'alice', registered_at + interval '1 day' FROM devices;
        ANALYZE;
        """
}
