import CaptureModel
import CaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("What the schema refuses", .timeLimit(.minutes(3)))
struct RefusedChangesTests {
    private static let attested = """
        INSERT INTO attestations (
            device_id, attested_at, attestation_object, client_data_hash, certificate_chain, trust_root, model)
        SELECT id, now(), '', '', '{}', '', '' FROM devices
        """

    private static let noted = "INSERT INTO risks (device_id, metric, metric_at) SELECT id, 1, now() FROM devices"

    /// Another device, of which only the id of its key is known.
    private static let keyless = """
        INSERT INTO counters (key_id, last_seen) VALUES (sha256('another'), now());
        INSERT INTO devices
        SELECT (jsonb_populate_record(devices, jsonb_build_object(
            'id', gen_random_uuid(), 'key_id', sha256('another'), 'level', 'unverified', 'trust_root', NULL,
            'public_key', NULL, 'unverified_reason', 'none'))).*
        FROM devices
        """

    private static let revoked = "UPDATE devices SET revoked_at = now(), revoked_reason = 'lost', revoked_by = 'alice'"

    private static let compromised = """
        \(revoked);
        UPDATE devices SET compromised_since = now(), compromised_reason = 'lost', compromised_by = 'alice'
        """

    @Test(arguments: [
        ("UPDATE counters SET capture_highest = capture_highest - 1", "counters_increase"),
        ("UPDATE counters SET request_highest = request_highest - 1", "counters_increase"),
        ("UPDATE counters SET capture_highest = 4294967296", "counters_capture_highest_check"),
        ("UPDATE counters SET request_highest = 4294967296", "counters_request_highest_check"),
        ("UPDATE counters SET key_id = sha256('another')", "counters_increase"),
        (
            "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET confidence = 'none'",
            "captures_verified"
        ),
        ("ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET reason = 'X'", "captures_verified"),
        ("ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET counter = NULL", "captures_verified"),
        (
            "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET counter = 5",
            "captures_counter_used"
        ),
        (
            "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET verdict = 'maybe'",
            "captures_verdict_check"
        ),
        (
            "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET checks = '{}'",
            "captures_checks_check"
        ),
        (
            "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET verdict = 'rejected'",
            "captures_rejected"
        ),
        (
            "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET level = 'unverified'",
            "captures_unattested"
        ),
        ("UPDATE devices SET trust_root = NULL", "devices_attested"),
        (
            "ALTER TABLE devices DISABLE TRIGGER devices_kept; UPDATE devices SET attestation_object = NULL",
            "devices_attested"
        ),
        (
            "ALTER TABLE devices DISABLE TRIGGER devices_kept; UPDATE devices SET level = 'unverified'",
            "devices_unverified"
        ),
        ("UPDATE devices SET attestation_object = attestation_object || '\\x00'", "devices_kept"),
        ("UPDATE devices SET client_data_hash = sha256(client_data_hash)", "devices_kept"),
        ("UPDATE devices SET registered_at = registered_at - interval '1 day'", "devices_kept"),
        (
            "UPDATE devices SET environment = CASE environment WHEN 'production' THEN 'development' ELSE 'production' END",
            "devices_kept"
        ),
        ("UPDATE devices SET app_id = 'TEAM000000.other'", "devices_kept"),
        ("UPDATE devices SET certificate_chain = '{}'", "devices_kept"),
        ("UPDATE devices SET receipt = '\\x00'", "devices_kept"),
        ("UPDATE devices SET platform = 'android'", "devices_kept"),
        ("UPDATE devices SET model = 'iPhone1,1'", "devices_kept"),
        ("UPDATE devices SET has_lidar = NOT has_lidar", "devices_kept"),
        ("UPDATE devices SET os_version = '99'", "devices_kept"),
        ("UPDATE devices SET validation_category = 99", "devices_kept"),
        ("UPDATE devices SET bundle_version = '99'", "devices_kept"),
        ("DELETE FROM receipts; DELETE FROM devices", "devices_not_deleted"),
        ("TRUNCATE devices CASCADE", "attestations_not_emptied"),
        ("TRUNCATE counters CASCADE", "attestations_not_emptied"),
        ("UPDATE devices SET id = gen_random_uuid()", "devices_kept"),
        (
            """
            INSERT INTO counters (key_id, last_seen) VALUES (sha256('another'), now());
            UPDATE devices SET key_id = sha256('another')
            """, "devices_kept"
        ),
        ("\(keyless); UPDATE devices SET algorithm = 'ed25519' WHERE public_key IS NULL", "devices_kept"),
        ("UPDATE devices SET public_key = set_byte(public_key, 64, 0)", "devices_kept"),
        ("UPDATE devices SET level = 'unverified', trust_root = NULL", "devices_kept"),
        ("UPDATE devices SET revoked_at = now()", "devices_revoked"),
        (
            "\(revoked); UPDATE devices SET revoked_at = NULL, revoked_reason = NULL, revoked_by = NULL",
            "devices_revocation_kept"
        ),
        ("\(revoked); UPDATE devices SET revoked_at = revoked_at + interval '1 hour'", "devices_revocation_kept"),
        ("\(revoked); UPDATE devices SET revoked_reason = ''", "devices_revocation_kept"),
        ("\(revoked); UPDATE devices SET revoked_by = 'bob'", "devices_revocation_kept"),
        (
            """
            \(compromised);
            UPDATE devices SET compromised_since = NULL, compromised_reason = NULL, compromised_by = NULL
            """, "devices_compromise_kept"
        ),
        (
            "\(compromised); UPDATE devices SET compromised_since = compromised_since + interval '1 hour'",
            "devices_compromise_kept"
        ),
        ("\(compromised); UPDATE devices SET compromised_reason = ''", "devices_compromise_kept"),
        ("\(compromised); UPDATE devices SET compromised_by = 'bob'", "devices_compromise_kept"),
        ("UPDATE devices SET trust_root = 'another'", "devices_root_kept"),
        ("\(attested); UPDATE devices SET trust_root = 'another'", "devices_root_kept"),
        (
            "UPDATE devices SET superseded_by = id, superseded_at = now(), superseded_highest = 0",
            "devices_superseded"
        ),
        ("UPDATE devices SET superseded_highest = 0", "devices_superseded"),
        ("ALTER TABLE devices DISABLE TRIGGER devices_kept; UPDATE devices SET public_key = '\\x00'", "devices_check"),
        (
            "INSERT INTO devices SELECT (jsonb_populate_record(devices, jsonb_build_object('id', gen_random_uuid()))).* FROM devices",
            "devices_key_in_force"
        ),
        ("DELETE FROM counters", "counters_not_deleted"),
        (
            """
            ALTER TABLE devices DISABLE TRIGGER devices_not_deleted;
            DELETE FROM receipts; DELETE FROM devices; DELETE FROM counters
            """, "counters_not_deleted"
        ),
        ("UPDATE captures SET attempts = attempts + 1", "captures_kept"),
        (
            "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET client_data_hash = '\\x00'",
            "captures_client_data_hash_check"
        ),
        ("DELETE FROM captures", "captures_kept"),
        ("TRUNCATE captures", "captures_not_emptied"),
        (
            "INSERT INTO audit (at, actor, action, subject) VALUES (now(), 'a', 'b', 'c'); UPDATE audit SET actor = 'd'",
            "audit_kept"
        ),
        (
            "INSERT INTO audit (at, actor, action, subject) VALUES (now(), 'a', 'b', 'c'); DELETE FROM audit",
            "audit_kept"
        ),
        ("TRUNCATE audit", "audit_not_emptied"),
        ("\(attested); UPDATE attestations SET os_version = '99'", "attestations_kept"),
        ("\(attested); DELETE FROM attestations", "attestations_kept"),
        ("TRUNCATE attestations", "attestations_not_emptied"),
        ("\(noted); UPDATE risks SET metric = 0", "risks_kept"),
        ("\(noted); UPDATE risks SET noted_at = noted_at - interval '1 day'", "risks_kept"),
        ("\(noted); DELETE FROM risks", "risks_kept"),
        ("TRUNCATE risks", "risks_not_emptied"),
        ("UPDATE installation SET id = gen_random_uuid()", "installation_kept"),
        ("INSERT INTO installation (id) VALUES (gen_random_uuid())", "installation_pkey"),
        ("DELETE FROM installation", "installation_not_deleted"),
        ("TRUNCATE installation", "installation_not_emptied"),
    ])
    func `the database refuses a row that is nonsense`(_ sql: String, constraint: String) async throws {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered()
            #expect(try await store.reasons(device, [5, 6]) == [nil, nil])
            #expect(try await store.advanceRequestCounter(of: device.keyID, to: 7))
            let error = await #expect(throws: PostgresError.self) {
                try await client.executeScript(sql)
            }
            #expect(
                error?.sqlState?.hasPrefix("23") == true && error?.message == "constraint \(constraint)",
                "\(error as Any)")
        }
    }
}
