import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

/// What attestations say of the app is kept once, whatever their number.
@Suite("Devices that are attested often", .timeLimit(.minutes(3)))
struct AttestedAppsTests {
    private static let device = "'00000000-0000-4000-8000-000000000001'"

    /// Three attested devices, of which the first is attested 6,000 times more and names no version of its system, the
    /// second once more with another app, and the third never.
    private static let rows = """
        INSERT INTO counters (key_id, last_seen) SELECT sha256(d::text::bytea), now() FROM generate_series(1, 3) AS d;
        INSERT INTO devices (
            id, key_id, algorithm, public_key, level, environment, app_id, trust_root, platform, model, has_lidar,
            registered_at, os_version, attestation_object, client_data_hash, bundle_version, validation_category)
        SELECT ('00000000-0000-4000-8000-' || lpad(d::text, 12, '0'))::uuid, sha256(d::text::bytea), 'p256',
            decode(repeat('04', 65), 'hex'), 'secure_enclave', 'production', 'app', 'root', 'ios', 'iPhone16,1', true,
            now(), '18.1', '', '', '1', 4
        FROM generate_series(1, 3) AS d;
        INSERT INTO attestations (
            device_id, attested_at, attestation_object, client_data_hash, certificate_chain, trust_root, model,
            os_version, bundle_version, validation_category)
        SELECT \(device)::uuid, now(), ''::bytea, ''::bytea, '{}'::bytea[], 'root', 'iPhone16,1',
            CASE n % 2 WHEN 0 THEN '' END, CASE n % 4 WHEN 0 THEN NULL ELSE (n % 4)::text END,
            CASE n % 3 WHEN 0 THEN NULL ELSE 2 * (n % 3) END
        FROM generate_series(1, 6000) AS n
        UNION ALL
        SELECT '00000000-0000-4000-8000-000000000002', now(), '', '', '{}', 'root', 'iPhone16,1', '19.0', '7', 2;
        """

    private static let pairs = "SELECT count(*) FROM attested_apps WHERE device_id = \(device)"

    /// What a program reads of each device to decide by it.
    private static let decided = """
        SELECT known.id, latest_os_version, attested.* FROM known_devices_v1 AS known
        CROSS JOIN LATERAL attested_apps_v1(known.id) AS attested ORDER BY known.id
        """

    private static let answers = """
        00000000-0000-4000-8000-000000000001|18.1|{1,2,3}|{2,4}
        00000000-0000-4000-8000-000000000002|19.0|{1,7}|{2,4}
        00000000-0000-4000-8000-000000000003|18.1|{1}|{4}
        """

    private static let questions: [(statement: PostgresStatement, arguments: String)] = [
        (Statements.device, device), (Statements.devices, "ARRAY[\(device)]::uuid[]"),
        (Statements.deviceRecord, device), (Statements.deviceOfKey, "sha256('1')"), (Statements.listDevices, "51"),
    ]

    @Test func `a device costs the same however often it is attested`() async throws {
        let database = try await MigratedDatabase()
        try await database.psql(Self.rows + "ANALYZE")
        for (statement, arguments) in Self.questions {
            let plan = try await database.plan(of: statement, arguments, "enable_seqscan = off")
            let counts = plan.matches(of: /actual rows=(\d+)/).compactMap { Int($0.1) }
            #expect((counts.max() ?? .max) <= 15, "\(statement.name) reads attestation by attestation:\n\(plan)")
            #expect(!plan.contains(/Rows Removed by Filter: \d\d/), "\(statement.name):\n\(plan)")
        }
        #expect(try await database.psql(Self.decided) == Self.answers)
    }

    @Test func `what was attested before the migration is known after it, and after the way down`() async throws {
        let database = try await MigratedDatabase(upTo: 10)
        try await database.psql(Self.rows)
        #expect(try await database.psql(Self.decided) == Self.answers)
        for _ in 1...2 {
            try await withClient(database.conninfo) { client in
                _ = try await Migrator(client: client).up()
            }
            #expect(try await database.psql(Self.decided) == Self.answers)
            // Three versions or none with two categories or none, but for the one that says nothing.
            #expect(try await database.psql(Self.pairs) == "11")
            try await withClient(database.conninfo) { client in
                _ = try await Migrator(client: client).down(to: 10)
            }
            #expect(try await database.psql(Self.decided) == Self.answers)
        }
    }

    /// A gateway of before the migration goes on while it is done.
    @Test func `whoever may keep attestations may keep what they say of the app`() async throws {
        let database = try await MigratedDatabase(upTo: 10)
        let name = "attestor_\(database.name)"
        try await database.psql(
            "CREATE ROLE \(name); GRANT SELECT, INSERT ON attestations TO \(name); GRANT SELECT ON attestations TO PUBLIC"
        )
        try await withClient(database.conninfo) { client in
            _ = try await Migrator(client: client).up()
        }
        let rights = """
            SELECT verb, has_table_privilege('\(name)', 'attested_apps', verb)
            FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) AS verb
            """
        #expect(
            try await database.psql(rights) == """
                SELECT|t
                INSERT|t
                UPDATE|f
                DELETE|f
                TRUNCATE|f
                """)
    }

    /// It says as little of the app's version as its beginning does.
    @Test func `a text that is too long for a version, and for an index, is kept by its beginning`() async throws {
        let database = try await MigratedDatabase(upTo: 10)
        let long = """
            INSERT INTO attestations (
                device_id, attested_at, attestation_object, client_data_hash, certificate_chain, trust_root, model,
                bundle_version)
            SELECT \(Self.device)::uuid, now(), '', '', '{}', 'root', 'iPhone16,1',
                (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 250) AS n);
            """
        try await database.psql(Self.rows + long)
        try await withClient(database.conninfo) { client in
            _ = try await Migrator(client: client).up()
        }
        try await database.psql(long)
        #expect(try await database.psql(Self.pairs) == "12")
        let kept = "SELECT max(length(bundle_version)) FROM attested_apps"
        #expect(try await database.psql(kept) == "65")
    }

    @Test(arguments: [
        ("UPDATE attested_apps SET bundle_version = '0'", "attested_apps_kept"),
        ("DELETE FROM attested_apps", "attested_apps_kept"),
        ("TRUNCATE attested_apps", "attested_apps_not_emptied"),
    ])
    func `what was attested is never forgotten`(_ sql: String, constraint: String) async throws {
        try await withPostgresStore { _, client async throws in
            let error = await #expect(throws: PostgresError.self) {
                try await client.executeScript(Self.rows + sql)
            }
            #expect(error?.sqlState == "23514" && error?.message == "constraint \(constraint)", "\(error as Any)")
        }
    }
}
