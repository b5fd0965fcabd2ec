import CaptureModel
import CaptureSettings
import CaptureStore
import FoundationEssentials
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("Rows that no program writes", .timeLimit(.minutes(3)))
struct ImpossibleRowsTests {
    /// The beginning of a change to a result; the trigger that refuses any is tested elsewhere.
    private static let captures = "ALTER TABLE captures DISABLE TRIGGER captures_kept; UPDATE captures SET"

    private static func attestation(_ columns: String, _ values: String) -> String {
        """
        INSERT INTO attestations (
            device_id, client_data_hash, trust_root, model, \(columns)
        ) SELECT id, '', '', '', \(values) FROM devices
        """
    }

    private static func bytes(_ count: Int) -> String { "convert_to(repeat('x', \(count)), 'UTF8')" }

    private static func audit(_ columns: String, _ values: String) -> String {
        "INSERT INTO audit (actor, action, \(columns)) OVERRIDING SYSTEM VALUE VALUES ('a', 'b', \(values))"
    }

    /// The trigger that refuses any id but the next.
    private static let anyPlace = "ALTER TABLE audit DISABLE TRIGGER audit_id_given"

    private static let revocation = "revoked_reason = 'lost', revoked_by = 'alice'"

    /// More than an actor, a reason or a note may be.
    private static let long = "repeat('x', 1025)"

    private static let compromise = """
        UPDATE devices SET revoked_at = now(), \(revocation); UPDATE devices SET compromised_since = now(),
        """

    private static func invitation(_ columns: String, _ values: String) -> String {
        """
        INSERT INTO invitations (id, code_digest, created_at, expires_at, \(columns))
        VALUES (gen_random_uuid(), sha256(''), now(), now() + interval '1 day', \(values))
        """
    }

    /// Another device, as the one that is there but for some columns.
    private static func device(_ columns: String) -> String {
        """
        INSERT INTO devices
        SELECT (jsonb_populate_record(devices, jsonb_build_object('id', gen_random_uuid(), \(columns)))).* FROM devices
        """
    }

    private static let refused: [(sql: String, constraint: String)] = [
        ("\(captures) received_at = '-infinity'", "captures_moments"),
        ("\(captures) settled_at = 'infinity'", "captures_moments"),
        ("\(captures) verified_at = 'infinity'", "captures_moments"),
        ("\(captures) captured_at = 'infinity'", "captures_moments"),
        ("\(captures) counter_highest = -5", "captures_counter_highest"),
        ("\(captures) counter_highest = 4294967296", "captures_counter_highest"),
        ("\(captures) assertion = \(bytes(16_385))", "captures_lengths"),
        ("\(captures) metadata = \(bytes(65_537))", "captures_lengths"),
        ("\(captures) verdict = 'rejected', confidence = 'none', reason = ''", "captures_lengths"),
        ("UPDATE devices SET revoked_at = '-infinity', \(revocation)", "devices_moments"),
        (
            """
            UPDATE devices SET revoked_at = now(), \(revocation), compromised_since = '-infinity',
                compromised_reason = 'lost', compromised_by = 'alice'
            """, "devices_moments"
        ),
        ("UPDATE devices SET revoked_at = now(), revoked_reason = \(long), revoked_by = 'alice'", "devices_lengths"),
        ("UPDATE devices SET revoked_at = now(), revoked_reason = 'lost', revoked_by = \(long)", "devices_lengths"),
        ("\(compromise) compromised_reason = \(long), compromised_by = 'alice'", "devices_lengths"),
        ("\(compromise) compromised_reason = 'lost', compromised_by = \(long)", "devices_lengths"),
        (device("'registered_at', '-infinity'"), "devices_registered"),
        (device("'attestation_object', \(bytes(16_385))"), "devices_registered"),
        (device("'client_data_hash', \(bytes(33))"), "devices_registered"),
        (device("'receipt', \(bytes(16_385))"), "devices_registered"),
        (device("'revoked_reason', \(long)"), "devices_registered"),
        (device("'revoked_by', \(long)"), "devices_registered"),
        (device("'compromised_reason', \(long)"), "devices_registered"),
        (device("'compromised_by', \(long)"), "devices_registered"),
        (device("'certificate_chain', ARRAY[\(bytes(40_000))]"), "devices_registered"),
        (
            attestation("attested_at, attestation_object, certificate_chain", "'-infinity', '', '{}'"),
            "attestations_moments"
        ),
        (
            attestation("attested_at, attestation_object, certificate_chain", "now(), \(bytes(16_385)), '{}'"),
            "attestations_lengths"
        ),
        (
            attestation("attested_at, attestation_object, certificate_chain", "now(), '', ARRAY[\(bytes(40_000))]"),
            "attestations_lengths"
        ),
        (
            attestation(
                "attested_at, attestation_object, certificate_chain, receipt", "now(), '', '{}', \(bytes(16_385))"),
            "attestations_lengths"
        ),
        (
            """
            INSERT INTO attestations (
                device_id, attested_at, attestation_object, client_data_hash, certificate_chain, trust_root, model)
            SELECT id, now(), '', \(bytes(33)), '{}', '', '' FROM devices
            """, "attestations_lengths"
        ),
        (invitation("created_by", long), "invitations_lengths"),
        (invitation("created_by, note", "'a', \(long)"), "invitations_lengths"),
        (audit("subject, at, id", "'c', now(), 1000"), "audit_id_given"),
        ("\(anyPlace); \(audit("subject, at, id", "'c', now(), 9223372036854775807"))", "audit_places"),
        ("\(anyPlace); \(audit("subject, at, id", "'c', now(), 0"))", "audit_places"),
        (audit("subject, at", "'c', 'infinity'"), "audit_moments"),
        (audit("subject, at", "repeat('c', 1025), now()"), "audit_lengths"),
        (audit("subject, at, details", "'c', now(), jsonb_build_object('x', repeat('x', 70000))"), "audit_lengths"),
    ]

    @Test(arguments: refused)
    func `the database refuses what could not be read, or would fill it`(
        _ sql: String, constraint: String
    ) async throws {
        try await withPostgresStore { store, client async throws in
            #expect(try await store.reasons(try await store.registered(), [5, 6]) == [nil, nil])
            let error = await #expect(throws: PostgresError.self) {
                try await client.executeScript(sql)
            }
            #expect(
                error?.sqlState == "23514" && error?.message == "constraint \(constraint)", "\(error as Any)")
        }
    }

    /// A setting that allows more would make dead letters of genuine captures.
    @Test func `the longest evidence that programs can be set to take is kept`() async throws {
        let assertion = try #require(Self.most(.assertionBytesMax))
        let metadata = try #require(Self.most(.metadataBytesMax))
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered()
            let submission = CaptureSubmission(
                id: CaptureID(UUID()), device: device.id, bundleDigest: .hash([1]), binding: .framedV2,
                assertion: [UInt8](repeating: 1, count: assertion), metadata: [UInt8](repeating: 0x20, count: metadata),
                photoDigest: .hash([2]), depthDigest: .hash([3]), photoBytes: 1000, depthBytes: 0,
                receivedAt: moment(10), traceParent: nil)
            let capture = ExaminedCapture.sample(device, counter: 5, upload: submission)
            #expect(try await store.settle([capture], policy: .strict).map(\.reason) == [nil])
        }
    }

    private static func most(_ setting: Setting) -> Int? {
        if case .bytes(let range) = setting.kind { range.upperBound } else { nil }
    }

    /// Results and entries of the audit cannot be mended, so that none of them may stand in an upgrade's way.
    @Test func `what an earlier schema has taken and nobody may change stays, and is migrated`() async throws {
        try await withDatabase { client async throws in
            let migrator = Migrator(client: client)
            _ = try await migrator.up(to: 10)
            let entry = Self.audit("subject, at, id", "'c', 'infinity', 9223372036854775807")
            try await client.executeScript(entry)
            #expect(try await migrator.up().map(\.version).first == 11)
        }
    }

    /// It cannot be mended, and its key may be in other hands.
    @Test func `a device that an earlier schema has taken is revoked like any other`() async throws {
        try await withDatabase { client async throws in
            let migrator = Migrator(client: client)
            _ = try await migrator.up(to: 10)
            let device = """
                INSERT INTO counters (key_id, last_seen) VALUES (sha256(''), now());
                INSERT INTO devices (
                    id, key_id, algorithm, level, platform, model, has_lidar, registered_at, attestation_object,
                    revoked_at, revoked_reason, revoked_by)
                VALUES (
                    gen_random_uuid(), sha256(''), 'p256', 'unverified', 'ios', 'iPhone16,1', true, '-infinity',
                    \(Self.bytes(16_385)), now(), repeat('x', 1025), 'alice')
                """
            let change = """
                UPDATE devices SET compromised_since = now(), compromised_reason = 'lost', compromised_by = 'alice';
                UPDATE devices SET revoked_at = now() - interval '1 hour', \(Self.revocation)
                """
            try await client.executeScript(device)
            #expect(try await migrator.up().map(\.version).first == 11)
            try await client.executeScript(change)
        }
    }

    @Test func `what an earlier schema has taken and can be mended ends the migration, with the rule's name`()
        async throws
    {
        try await withDatabase { client async throws in
            let migrator = Migrator(client: client)
            _ = try await migrator.up(to: 10)
            let invitation = """
                INSERT INTO invitations (id, code_digest, created_at, created_by, expires_at)
                VALUES (gen_random_uuid(), sha256(''), now(), 'a', 'infinity')
                """
            try await client.executeScript(invitation)
            let fault = await #expect(throws: StoreError.self) { _ = try await migrator.up() }
            #expect(fault?.code == .refused && fault?.message == "constraint invitations_moments", "\(fault as Any)")
            #expect(try await migrator.schemaVersion() == 10)
        }
    }
}
