import AppleDeviceCheck
import CaptureModel
import CaptureProcessing
import CaptureStore
import Enrolment
import FoundationEssentials
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

/// What the programs do besides is done as such a role by the suites of every store and every ledger.
@Suite("The role that the programs are granted their rights as", .timeLimit(.minutes(3)))
struct GrantedRoleTests {
    private func run(_ sql: String, _ client: PostgresClient) async throws {
        try await client.executeScript(sql)
    }

    // MARK: Granting

    @Test func `a role is granted what it lacks, once, and no other right`() async throws {
        try await withPostgresStore { _, client async throws in
            let migrator = Migrator(client: client)
            // A name that has to be quoted.
            let role = "Programs \(UUID())"
            try await run("CREATE ROLE \"\(role)\"", client)
            let granted = try await migrator.grant(to: role)
            #expect(granted.rights.count > 30 && !granted.hasOwnerRights)
            var held: Set<String> = []
            for row in try await client.execute(Self.held, [.text(role)]).rows { held.insert(try row.text("held")) }
            #expect(held == Set(granted.rights.map(\.description)))
            #expect(try await migrator.grant(to: role).rights == [])
            try await run("REVOKE UPDATE ON counters FROM \"\(role)\"", client)
            #expect(try await migrator.grant(to: role).rights.map(\.description) == ["UPDATE on counters"])
        }
    }

    private static let held = PostgresStatement(
        "test_held",
        """
        SELECT privilege_type || ' on ' || relname AS held
        FROM pg_class, aclexplode(relacl) JOIN pg_roles ON pg_roles.oid = grantee WHERE rolname = $1::text
        """)

    @Test func `a role is granted the use of a schema that not everybody may use`() async throws {
        try await withPostgresStore { _, client async throws in
            let role = "programs_\(UUID())"
            try await run("REVOKE USAGE ON SCHEMA public FROM PUBLIC; CREATE ROLE \"\(role)\"", client)
            let granted = try await Migrator(client: client).grant(to: role)
            #expect(granted.rights.contains(MissingRight(verb: "USAGE", part: "SCHEMA public")))
            #expect(try await Migrator(client: client).grant(to: role).rights == [])
        }
    }

    @Test func `two that grant at once do not meet`() async throws {
        try await withPostgresStore { _, client async throws in
            let role = "programs_\(UUID())"
            try await run("CREATE ROLE \"\(role)\"", client)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await Migrator(client: client).grant(to: role).rights.count }
                }
                var granted: [Int] = []
                for try await count in group { granted.append(count) }
                #expect(granted.filter { $0 > 0 }.count == 1, "\(granted)")
            }
        }
    }

    /// `public` is everybody.
    @Test(arguments: ["public", "nobody of this name", "x; DROP TABLE captures", ""])
    func `nothing is granted to a role that there is not`(role: String) async throws {
        try await withPostgresStore { _, client async throws in
            let error = await #expect(throws: StoreError.self) { try await Migrator(client: client).grant(to: role) }
            #expect(error?.code == .refused && error?.message.contains("there is no role") == true)
        }
    }

    /// PostgreSQL only warns of it.
    @Test func `nothing is granted by a user that does not own the tables`() async throws {
        try await withGrantedStore { _, client async throws in
            let error = await #expect(throws: StoreError.self) {
                try await Migrator(client: client).grant(to: "pg_monitor")
            }
            #expect(error?.code == .refused && error?.message.contains("owner") == true)
        }
    }

    @Test func `a role that may do whatever the tables' owner may is told`() async throws {
        try await withPostgresStore { _, client async throws in
            let member = "member_\(UUID())"
            try await run("CREATE ROLE \"\(member)\"; GRANT capture TO \"\(member)\"", client)
            for role in ["capture", member] {
                let granted = try await Migrator(client: client).grant(to: role)
                #expect(granted.rights == [] && granted.hasOwnerRights, "\(role)")
            }
        }
    }

    // MARK: What it may do

    @Test func `granted rights are enough to register and revoke devices, settle captures and exchange receipts`()
        async throws
    {
        try await withGrantedStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let uploads = LedgerKind.uploads(2)
            #expect(try await ledger.record(uploads) == [.recorded, .recorded])
            let captures = uploads.map { upload in
                ExaminedCapture.sample(nil, counter: nil, id: upload.id, upload: upload, rejection: .deviceUnknown)
            }
            _ = try await store.settle([captures[0]], policy: .strict)
            #expect(try await store.reasons(device, [1, 2]) == [nil, nil])
            try await ledger.noteDead([uploads[1].id])
            #expect(try await ledger.discard(uploads[1].id)?.submission == uploads[1])
            #expect(try await ledger.purge(closedFor: .zero, limit: 9) == 1)
            let scene = try ReceiptScene(store: store)
            _ = try await scene.register()
            #expect(try await scene.renewer(asking: scene.renewing(riskMetric: 7)).renewNext() == .renewed)
            #expect(try await store.revoke(device.id, at: nil, reason: "lost", actor: "alice"))
            #expect(
                try await store.compromise(device.id, since: moment(0), reason: "stolen", actor: "alice")?.affected
                    == 2)
        }
    }

    @Test func `granted rights are enough to enrol somebody, and to remove what is over`() async throws {
        let hash = try PasswordHash.sample()
        try await withGrantedStore { store, _ async throws in
            var sample = EnrolmentSample()
            let session = sample.session()
            try await store.invite(sample.invitation, code: sample.code.digest)
            #expect(try await store.begin(session, invited: sample.code.digest, at: moment(1)) == .begun)
            _ = try await store.attest(session.id, answering: session.openChallenge(), as: session.registration())
                .get()
            _ = try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: moment(20)).get()
            let done = try await store.finalize(
                session.id, with: sample.completion(session.keys[2].id), at: moment(30)
            ).get()
            #expect(done.state == .enrolled)
            let other = EnrolmentSample()
            try await store.invite(other.invitation, code: other.code.digest)
            #expect(try await store.revokeInvitation(other.invitation.id, at: moment(2), actor: "alice") != nil)
            _ = try await store.purgeEnrolments(expiredFor: .zero, limit: 9)
        }
    }

    // MARK: What it may not do

    private static let refused = [
        "UPDATE captures SET reason = 'X'", "DELETE FROM captures", "TRUNCATE captures",
        "UPDATE audit SET actor = 'x'", "DELETE FROM audit", "TRUNCATE audit",
        "UPDATE attestations SET model = 'x'", "DELETE FROM attestations", "TRUNCATE attestations",
        "UPDATE risks SET metric = 1", "DELETE FROM risks", "DELETE FROM devices", "DELETE FROM counters",
        "TRUNCATE counters, devices CASCADE", "TRUNCATE intake", "UPDATE device_checks SET bit0 = true",
        "UPDATE installation SET id = gen_random_uuid()", "DELETE FROM schema_migrations",
        "ALTER TABLE captures DISABLE TRIGGER captures_kept", "ALTER TABLE captures DISABLE TRIGGER ALL",
        "ALTER TABLE counters DISABLE TRIGGER counters_increase", "DROP TRIGGER devices_kept ON devices",
        "CREATE TRIGGER own BEFORE INSERT ON captures EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "ALTER TABLE captures DROP CONSTRAINT captures_verified", "DROP TABLE captures", "CREATE TABLE own ()",
        "DROP FUNCTION capture_settle_v1", "SET session_replication_role = replica", "SET ROLE capture",
        "COPY captures TO PROGRAM 'cat'", "SELECT setval('intake_place_seq', 1)",
    ]

    @Test func `granted rights change and delete nothing that is settled, and take nothing away that keeps it`()
        async throws
    {
        try await withGrantedStore { store, client async throws in
            let device = try await store.registered()
            #expect(try await store.reasons(device, [1]) == [nil])
            for statement in Self.refused {
                let error = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await run(statement, client)
                }
                #expect(error?.sqlState == "42501", "\(statement): \(String(describing: error))")
            }
            #expect(try await store.captureCounter(of: device) == 1)
        }
    }

    /// Else whoever had a password for a moment could have each later revocation refused: its audit entry would come to
    /// an id that is taken.
    @Test func `granted rights choose no id that the database has yet to give`() async throws {
        try await withGrantedStore { store, client async throws in
            let device = try await store.registered()
            for statement in Self.chosenIDs {
                let error = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await run(statement, client)
                }
                #expect(error?.message.hasSuffix("_id_given") == true, "\(statement): \(String(describing: error))")
            }
            #expect(try await store.revoke(device.id, at: nil, reason: "lost", actor: "alice"))
        }
    }

    private static let chosenIDs = [
        """
        INSERT INTO audit (at, actor, action, subject) VALUES (now(), 'x', 'x', 'x');
        INSERT INTO audit (id, at, actor, action, subject) OVERRIDING SYSTEM VALUE
        SELECT max(id) + 1, now(), 'x', 'x', 'x' FROM audit
        """,
        """
        INSERT INTO attestations (
            device_id, attested_at, attestation_object, client_data_hash, certificate_chain, trust_root, model)
        SELECT id, now(), '', '', '{}', '', '' FROM devices;
        INSERT INTO attestations (
            id, device_id, attested_at, attestation_object, client_data_hash, certificate_chain, trust_root, model)
        OVERRIDING SYSTEM VALUE
        SELECT max(attestations.id) + 1, devices.id, now(), '', '', '{}', '', '' FROM attestations, devices
        GROUP BY devices.id
        """,
    ]
}
