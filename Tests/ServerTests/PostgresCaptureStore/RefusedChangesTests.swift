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

    /// Another device, of which only the id of its key is known.
    private static let keyless = """
        INSERT INTO counters (key_id, last_seen) VALUES (sha256('another'), now());
        INSERT INTO devices
        SELECT (jsonb_populate_record(devices, jsonb_build_object(
            'id', gen_random_uuid(), 'key_id', sha256('another'), 'level', 'unverified', 'trust_root', NULL,
            'public_key', NULL, 'unverified_reason', 'none'))).*
        FROM devices
        """

    @Test(arguments: [
        "UPDATE counters SET capture_highest = capture_highest - 1",
        "UPDATE counters SET request_highest = request_highest - 1",
        "UPDATE counters SET capture_highest = 4294967296",
        "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET confidence = 'none'",
        "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET reason = 'X'",
        "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET counter = NULL",
        "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET counter = 5",
        "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET verdict = 'maybe'",
        "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET checks = '{}'",
        "UPDATE devices SET trust_root = NULL",
        "ALTER TABLE devices DISABLE TRIGGER devices_kept; UPDATE devices SET attestation_object = NULL",
        "ALTER TABLE devices DISABLE TRIGGER devices_kept; UPDATE devices SET level = 'unverified'",
        "UPDATE devices SET attestation_object = attestation_object || '\\x00'",
        "UPDATE devices SET client_data_hash = sha256(client_data_hash)",
        "UPDATE devices SET registered_at = registered_at - interval '1 day'",
        "UPDATE devices SET environment = CASE environment WHEN 'production' THEN 'development' ELSE 'production' END",
        "UPDATE devices SET app_id = 'TEAM000000.other'",
        "UPDATE devices SET certificate_chain = '{}'",
        "UPDATE devices SET receipt = '\\x00'",
        "UPDATE devices SET platform = 'android'",
        "UPDATE devices SET model = 'iPhone1,1'",
        "UPDATE devices SET has_lidar = NOT has_lidar",
        "UPDATE devices SET os_version = '99'",
        "UPDATE devices SET validation_category = 99",
        "UPDATE devices SET bundle_version = '99'",
        "DELETE FROM receipts; DELETE FROM devices",
        "TRUNCATE devices CASCADE",
        "TRUNCATE counters CASCADE",
        "UPDATE devices SET id = gen_random_uuid()",
        """
        INSERT INTO counters (key_id, last_seen) VALUES (sha256('another'), now());
        UPDATE devices SET key_id = sha256('another')
        """,
        "\(keyless); UPDATE devices SET algorithm = 'ed25519' WHERE public_key IS NULL",
        "UPDATE devices SET public_key = set_byte(public_key, 64, 0)",
        "UPDATE devices SET level = 'unverified', trust_root = NULL",
        "UPDATE devices SET revoked_at = now()",
        "UPDATE devices SET superseded_by = id, superseded_at = now()",
        "ALTER TABLE devices DISABLE TRIGGER devices_kept; UPDATE devices SET public_key = '\\x00'",
        "INSERT INTO devices SELECT (jsonb_populate_record(devices, jsonb_build_object('id', gen_random_uuid()))).* FROM devices",
        "DELETE FROM counters",
        """
        ALTER TABLE devices DISABLE TRIGGER devices_not_deleted;
        DELETE FROM receipts; DELETE FROM devices; DELETE FROM counters
        """,
        "UPDATE captures SET attempts = attempts + 1",
        "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET client_data_hash = '\\x00'",
        "DELETE FROM captures",
        "TRUNCATE captures",
        "INSERT INTO audit (at, actor, action, subject) VALUES (now(), 'a', 'b', 'c'); UPDATE audit SET actor = 'd'",
        "INSERT INTO audit (at, actor, action, subject) VALUES (now(), 'a', 'b', 'c'); DELETE FROM audit",
        "TRUNCATE audit",
        "\(attested); UPDATE attestations SET os_version = '99'",
        "\(attested); DELETE FROM attestations",
        "TRUNCATE attestations",
        "UPDATE installation SET id = gen_random_uuid()",
        "INSERT INTO installation (id) VALUES (gen_random_uuid())",
        "DELETE FROM installation",
        "TRUNCATE installation",
    ])
    func `the database refuses nonsense`(_ sql: String) async throws {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered()
            #expect(try await store.reasons(device, [5, 6]) == [nil, nil])
            #expect(try await store.advanceRequestCounter(of: device.keyID, to: 7))
            let error = await #expect(throws: PostgresError.self) {
                try await client.withConnection { connection throws(PostgresError) in
                    try await connection.executeScript(sql)
                }
            }
            #expect(error?.sqlState?.hasPrefix("23") == true)
        }
    }
}
