import CaptureModel
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

/// That each page of the archive is found by its index, in a table that is large and uneven.
@Suite("Plans of the archive", .timeLimit(.minutes(5)))
struct ArchivePlanTests {
    /// A page from the middle: what was received before that, and any id.
    private static let page = "'2026-01-02 12:00Z', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '-infinity', 51"
    private static let device = "'00000000-0000-4000-8000-000000000007'"

    /// A page of all of the audit.
    private static let log = "9223372036854775807, 0, 50, 50000"

    private static let questions: [(statement: PostgresStatement, arguments: String, indexes: [String])] = [
        (
            Statements.listByConfidence, "ARRAY['none', 'low', 'medium', 'high'], \(page)",
            ["captures_by_confidence", "devices_pkey"]
        ),
        (Statements.listByConfidence, "ARRAY['none'], \(page)", ["captures_by_confidence"]),
        (Statements.listByReason, "ARRAY['COUNTER_REPLAY', 'COUNTER_STALE'], \(page)", ["captures_by_reason"]),
        (Statements.listOfDevice, "ARRAY['none', 'high'], \(page), \(device)", ["captures_by_device"]),
        (
            Statements.listOfDeviceByReason, "ARRAY['COUNTER_REPLAY'], \(page), \(device)",
            ["captures_of_device_by_reason"]
        ),
        (Statements.listOpen, "\(page)", ["intake_open_newest"]),
        (Statements.listOpenOfDevice, "\(page), \(device)", ["intake_open_of_device"]),
        (Statements.capturesOfDigest, "sha256('5')", ["captures_of_photo", "intake_bundle"]),
        (Statements.captureAssertion, "\(device), \(device)", ["captures_pkey", "intake_pkey"]),
        (
            Statements.deviceTally, "\(device), '-infinity', 10000",
            ["captures_by_device", "intake_open_of_device"]
        ),
        (
            Statements.idsBeginning,
            "'00000000-0000-0000-0000-000000000000', '00000000-ffff-ffff-ffff-ffffffffffff', 50",
            ["captures_pkey", "intake_pkey", "devices_pkey"]
        ),
        (Statements.auditLog, "\(log), 'device.', ARRAY['queue.pause'], 'A', '-infinity', 'infinity'", ["audit_pkey"]),
        (
            Statements.auditLogOfSubject,
            "\(log), 'device.', ARRAY['queue.pause'], 'A', '-infinity', 'infinity', '7'", ["audit_by_subject"]
        ),
        (Statements.auditPlace, "9223372036854775807, 0, 10000", ["audit_pkey"]),
        (Statements.auditPlaceOfSubject, "9223372036854775807, 0, 1, '7'", ["audit_by_subject"]),
        (Statements.compromise, "\(device), '2026-01-02', 'lost', 'alice'", ["devices_of_key"]),
        (Statements.affected, "\(device), 30000, 50", ["captures_counter_used", "captures_by_device"]),
        (Statements.affectedCount, "\(device), 10000", ["devices_of_key", "captures_by_device"]),
    ]

    @Test func `every page is read by index, and no further than it is long`() async throws {
        let database = try await MigratedDatabase()
        try await database.psql(Self.rows)
        for (statement, arguments, indexes) in Self.questions {
            let plan = try await database.plan(of: statement, arguments)
            for index in indexes {
                #expect(plan.contains(index), "\(statement.name) does without \(index):\n\(plan)")
            }
            for table in ["captures", "intake", "audit", "counters", "devices"] {
                #expect(!plan.contains("Seq Scan on \(table)"), "\(statement.name):\n\(plan)")
            }
            // The rows that are read and thrown away would become more with the table.
            #expect(!plan.contains(/Rows Removed by Filter: [1-9]/), "\(statement.name):\n\(plan)")
        }
        let audit = try await database.psql(Self.audit)
        #expect(audit.contains("Rows Removed by Filter: 500\n"), "the look does not end where it should:\n\(audit)")
        let moment = try await database.psql(Self.auditMoment)
        #expect(moment.contains("Index Scan using audit_pkey") && !moment.contains("Seq Scan on audit"), "\(moment)")
        let looks = moment.matches(of: /loops=(\d+)/).compactMap { Int($0.1) }
        #expect((looks.max() ?? .max) < 20, "20,000 entries are halved 15 times:\n\(moment)")
        let affected = try await database.psql(Self.affected)
        let counts = affected.matches(of: /actual rows=(\d+)/).compactMap { Int($0.1) }
        #expect(counts.max() == 6, "all that is left is read for one page:\n\(affected)")
    }

    /// Of more than a hundred affected results, as many as each device has on average.
    private static let affected = """
        PREPARE question AS \(Statements.affected.sql);
        EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE question (\(device), 0, 5)
        """

    /// Where the entries of the audit from now on begin.
    private static let auditMoment = """
        PREPARE question AS \(Statements.auditMoment.sql);
        EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE question (now())
        """

    /// Entries of the audit that nobody has made, among the latest 500.
    private static let audit = """
        PREPARE question AS \(Statements.auditLog.sql);
        EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
        EXECUTE question (9223372036854775807, 0, 50, 500, '', '{}', 'nobody', '-infinity', 'infinity')
        """

    /// 20,000 keys; 60,000 results of 300 of them over some days, one of 50 rejected; 5,000 captures that
    /// wait; 20,000 audit entries.
    private static let rows = """
        INSERT INTO counters (key_id, capture_highest, last_seen)
        SELECT sha256(d::text::bytea), 1000000, now() FROM generate_series(1, 20000) AS d;
        INSERT INTO devices (id, key_id, algorithm, level, platform, model, has_lidar, registered_at)
        SELECT ('00000000-0000-4000-8000-' || lpad((d - 1)::text, 12, '0'))::uuid, sha256(d::text::bytea), 'p256',
            'unverified', 'ios', 'iPhone16,1', true, now() FROM generate_series(1, 20000) AS d;
        INSERT INTO captures (
            id, device_id, key_id, verdict, reason, confidence, counter, counter_policy, binding, photo_digest,
            depth_digest, metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata, checks,
            attempts, redriven, level, received_at, verified_at, settled_at, processor_version)
        SELECT gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad((n % 300)::text, 12, '0'))::uuid,
            sha256(((n % 300) + 1)::text::bytea), CASE WHEN n % 50 = 0 THEN 'rejected' ELSE 'verified' END,
            CASE WHEN n % 50 = 0 THEN (ARRAY['COUNTER_REPLAY', 'COUNTER_STALE', 'SIGNATURE_INVALID'])[n / 50 % 3 + 1] END,
            CASE WHEN n % 50 = 0 THEN 'none' ELSE (ARRAY['high', 'high', 'medium', 'low'])[n % 4 + 1] END, n, 'strict',
            'concat-v1', sha256(n::text::bytea), sha256(''), sha256(''), sha256(''), 1, 1, '', '',
            '{"counter": {"outcome": "pass"}}', 1, false, 'secure_enclave',
            timestamptz '2026-01-01' + n * interval '4 seconds', now(), now(), '0'
        FROM generate_series(1, 60000) AS n;
        INSERT INTO intake (
            capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest, photo_bytes,
            depth_bytes, received_at, bundle_store)
        SELECT gen_random_uuid(), sha256(('b' || n)::bytea),
            ('00000000-0000-4000-8000-' || lpad((n % 300)::text, 12, '0'))::uuid, 'concat-v1', '', '', sha256(''),
            sha256(''), 1, 1, timestamptz '2026-01-01' + n * interval '1 minute', 'redis'
        FROM generate_series(1, 5000) AS n;
        INSERT INTO audit (at, actor, action, subject)
        SELECT now(), 'a', 'device.register', n::text FROM generate_series(1, 20000) AS n;
        ANALYZE;
        """
}
