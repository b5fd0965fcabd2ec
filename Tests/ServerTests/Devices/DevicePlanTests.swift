import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

/// How PostgreSQL finds a device, however many there are, and however often some of them were attested.
@Suite("Plans of devices", .timeLimit(.minutes(3)))
struct DevicePlanTests {
    @Test func `a device is looked up by its id, however many there are`() async throws {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered()
            try await client.executeScript(Self.manyDevices)
            let known = try await store.devices([device.id, DeviceID(UUID())])
            #expect(Array(known.keys) == [device.id])
            let plan = try await client.execute(Self.plan, [.uuidArray([device.id.uuid, UUID()])]).rows
                .map { try $0.text("QUERY PLAN") }.joined(separator: "\n")
            #expect(plan.contains("devices_pkey") && !plan.contains("Seq Scan"), "\(plan)")
        }
    }

    /// Enough rows that PostgreSQL would not read them all for two, with and without later attestations.
    private static let manyDevices = """
        INSERT INTO counters (key_id, last_seen)
        SELECT sha256(number::text::bytea), now() FROM generate_series(1, 5000) AS number;
        INSERT INTO devices (id, key_id, algorithm, level, platform, model, has_lidar, registered_at, os_version)
        SELECT gen_random_uuid(), key_id, 'p256', 'unverified', 'ios', 'iPhone16,1', true, now(), '18.1' FROM counters
        WHERE key_id NOT IN (SELECT key_id FROM devices);
        INSERT INTO attestations (
            device_id, attested_at, attestation_object, client_data_hash, certificate_chain, trust_root, model)
        SELECT id, now(), '', '', '{}', 'root', model FROM devices;
        INSERT INTO receipts (device_id, receipt, received_at, outcome)
        SELECT id, '\\x01', now(), 'waiting' FROM devices ON CONFLICT DO NOTHING;
        ANALYZE devices, attestations, receipts;
        """
    private static let plan = PostgresStatement(
        "test_device_plan", "EXPLAIN SELECT * FROM known_devices_v1 WHERE id = ANY ($1::uuid[])")

    private static let device = "'00000000-0000-4000-8000-000000001000'"

    private static let questions: [(statement: PostgresStatement, arguments: String)] = [
        (Statements.device, device),
        (Statements.devices, "ARRAY[\(device), gen_random_uuid()]"),
        (Statements.deviceRecord, device),
        (Statements.deviceOfKey, "sha256('1000')"),
        (Statements.listDevices, "51"),
        (Statements.listDevicesAfter, "51, \(device)"),
        (Statements.claimReceipt, "1, 60000000, '{}'"),
    ]

    /// For a device that was attested once, going back through all attestations by their ids would read all of them.
    @Test func `a device costs what its own attestations do, whoever has many`() async throws {
        let database = try await MigratedDatabase()
        try await database.psql(Self.rows)
        for (statement, arguments) in Self.questions {
            let plan = try await database.plan(of: statement, arguments)
            #expect(plan.contains("attestations_by_system"), "\(statement.name):\n\(plan)")
            #expect(!plan.contains("attestations_pkey"), "\(statement.name):\n\(plan)")
            #expect(!plan.contains("Seq Scan on attestations"), "\(statement.name):\n\(plan)")
        }
    }

    /// 3,000 devices, all but five of which were attested once, and receipts that are due; the five are attested again at
    /// each start.
    private static let rows = """
        INSERT INTO counters (key_id, last_seen)
        SELECT sha256(d::text::bytea), now() FROM generate_series(1, 3000) AS d;
        INSERT INTO devices (id, key_id, algorithm, level, platform, model, has_lidar, registered_at, os_version)
        SELECT ('00000000-0000-4000-8000-' || lpad(d::text, 12, '0'))::uuid, sha256(d::text::bytea), 'p256',
            'unverified', 'ios', 'iPhone16,1', true, now(), '18.1' FROM generate_series(1, 3000) AS d;
        INSERT INTO receipts (device_id, receipt, received_at, outcome, next_at)
        SELECT id, '\\x01', now(), 'waiting', now() FROM devices;
        INSERT INTO attestations (
            device_id, attested_at, attestation_object, client_data_hash, certificate_chain, trust_root, model,
            os_version)
        SELECT ('00000000-0000-4000-8000-' || lpad((1 + n % 5)::text, 12, '0'))::uuid, now(), '', '', '{}', 'root',
            'iPhone16,1', '18.' || n % 5 FROM generate_series(1, 5000) AS n;
        ANALYZE;
        """
}
