import CaptureModel
import CaptureStore
import Enrolment
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// What a test makes of chance.
private struct Sample {
    var generator = SystemRandomNumberGenerator()
    let code: InvitationCode
    let invitation: Invitation

    init(expiresAt: Timestamp = moment(86_400)) {
        code = .make(using: &generator)
        invitation = Invitation(
            id: .make(using: &generator), note: "for a test", createdAt: moment(0), createdBy: "alice",
            expiresAt: expiresAt)
    }

    mutating func session(expiresAt: Timestamp = moment(1800)) -> EnrolmentSession {
        EnrolmentSession(
            id: .make(using: &generator), user: .make(using: &generator), device: .make(using: &generator),
            expiresAt: expiresAt, challenge: generator.bytes(32),
            keys: (0..<3).map { _ in
                .init(
                    id: .make(using: &generator), publicKey: generator.bytes(32),
                    sealedPrivateKey: generator.bytes(60))
            })
    }

    mutating func completion(_ key: TransactionKeyID) -> EnrolmentCompletion {
        EnrolmentCompletion(
            key: key, token: .hash(generator.bytes(8)), credential: .hash(generator.bytes(8)),
            package: generator.bytes(40))
    }
}

extension EnrolmentSession {
    /// The registration that its attestation would make, of a key that is told by a number.
    fileprivate func registration(key: UInt8 = 1, at now: Timestamp = moment(10)) -> DeviceRegistration {
        .sample(key: key, id: device, at: now)
    }
}

@Suite(.timeLimit(.minutes(3))) struct `Enrolments in PostgreSQL` {
    private let hash: PasswordHash

    init() throws {
        hash = try PasswordHash(
            Array(
                "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g".utf8
            ))
    }

    /// Runs a body with a session that has begun.
    private func withSession(
        connections: Int = 4,
        _ body: (PostgresCaptureStore, PostgresClient, EnrolmentSession, inout Sample) async throws -> Void
    ) async throws {
        try await withPostgresStore(connections: connections) { store, client async throws in
            var sample = Sample()
            let session = sample.session()
            try await store.invite(sample.invitation, code: sample.code.digest)
            #expect(try await store.begin(session, invited: sample.code.digest, at: moment(1)) == .open)
            try await body(store, client, session, &sample)
        }
    }

    private func challenge(_ session: EnrolmentSession) throws -> [UInt8] { try #require(session.challenge) }

    @Test func `takes one step after the other, and each is in the audit`() async throws {
        try await withSession { store, client, session, sample async throws in
            #expect(try await store.enrolment(session.id) == session)
            let attested = try await store.attest(
                session.id, answering: challenge(session), as: session.registration()
            ).get()
            #expect(attested.state == .passwordRequired && attested.challenge == nil)
            let device = try #require(try await store.devices([session.device])[session.device])
            #expect(device.level == .secureEnclave && device.registeredAt == moment(10))

            let set = try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: moment(20)).get()
            #expect(set.state == .passwordSet && set.deviceKey == [UInt8](1...32))
            #expect(set.keys.map { $0.sealedPrivateKey == nil } == [true, false, false])

            let completion = sample.completion(session.keys[2].id)
            let done = try await store.finalize(session.id, with: completion, at: moment(30)).get()
            #expect(done.state == .enrolled && done.package == completion.package)
            #expect(done.keys.map { $0.sealedPrivateKey == nil } == [true, false, true])
            let other = sample.completion(session.keys[1].id)
            #expect(try await store.finalize(session.id, with: other, at: moment(40)).get() == done)

            let trail = try await store.auditTrail(of: "\(session.user)", limit: 10)
            #expect(
                trail.reversed().map(\.action) == [
                    "enrolment.start", "enrolment.attest", "enrolment.password", "enrolment.finalize",
                ])
            let noted = try await client.execute(Self.secrets, [.text("%\(session.id)%")]).first
            #expect(try noted?.int8("rows") == 0, "whoever knows a session may go on with it")
            let kept = try await client.execute(Self.kept).first
            #expect(
                try kept?.text("password_hash") == hash.text && kept?.bytes("token_digest") == completion.token.bytes)
        }
    }

    @Test func `another step than the next one changes nothing and is told which is next`() async throws {
        try await withSession { store, _, session, sample async throws in
            let completion = sample.completion(session.keys[1].id)
            func early() async throws -> [Result<EnrolmentSession, EnrolmentRefusal>] {
                [
                    try await store.attest(
                        session.id, answering: challenge(session), as: session.registration(key: 9)),
                    try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: moment(20)),
                    try await store.finalize(session.id, with: completion, at: moment(20)),
                ]
            }
            #expect(
                try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: moment(2))
                    == .failure(.wrongStep(expected: .attestation)))
            #expect(
                try await store.finalize(session.id, with: completion, at: moment(2))
                    == .failure(.wrongStep(expected: .attestation)))
            #expect(try await store.enrolment(session.id) == session)
            let steps = try await early()
            #expect(try steps[0].get().state == .passwordRequired)
            #expect(try steps[1].get().state == .passwordSet && steps[2].get().state == .enrolled)
            let again = try await early()
            #expect(again[0] == .failure(.wrongStep(expected: .finalize)) && again[1] == again[0])
            #expect(again[2] == steps[2])
        }
    }

    @Test func `an invitation opens one session, however many race for it`() async throws {
        try await withPostgresStore(connections: 8) { store, client async throws in
            var sample = Sample()
            try await store.invite(sample.invitation, code: sample.code.digest)
            let code = sample.code.digest
            let sessions = (0..<8).map { _ in sample.session() }
            // In the order in which they end.
            let outcomes = try await race(8) { index in
                (index, try await store.begin(sessions[index], invited: code, at: moment(1)))
            }
            let winners = outcomes.filter { $0.1 == .open }.map(\.0)
            #expect(winners.count == 1)
            #expect(outcomes.filter { $0.1 == .used }.count == 7)
            #expect(try await client.execute(Self.sessions).first?.int8("rows") == 1)
            let winner = sessions[try #require(winners.first)]
            #expect(try await store.begin(winner, invited: code, at: moment(2)) == .open, "its answer may be lost")
            #expect(try await client.execute(Self.sessions).first?.int8("rows") == 1)
        }
    }

    @Test func `an invitation that is unknown, late or taken back opens none`() async throws {
        try await withPostgresStore { store, client async throws in
            var sample = Sample(expiresAt: moment(100))
            let session = sample.session()
            #expect(try await store.begin(session, invited: sample.code.digest, at: moment(1)) == nil)
            try await store.invite(sample.invitation, code: sample.code.digest)
            #expect(try await store.begin(session, invited: sample.code.digest, at: moment(100)) == .expired)
            #expect(
                try await store.revokeInvitation(sample.invitation.id, at: moment(100), actor: "bob") == .expired)

            let second = Sample(expiresAt: moment(100))
            try await store.invite(second.invitation, code: second.code.digest)
            #expect(try await store.revokeInvitation(second.invitation.id, at: moment(2), actor: "bob") == .open)
            #expect(try await store.revokeInvitation(second.invitation.id, at: moment(3), actor: "bob") == .revoked)
            #expect(try await store.begin(session, invited: second.code.digest, at: moment(4)) == .revoked)
            #expect(
                try await store.auditTrail(of: "\(second.invitation.id)", limit: 9).map(\.action)
                    == ["invitation.revoke", "invitation.create"])

            let third = Sample(expiresAt: moment(100))
            try await store.invite(third.invitation, code: third.code.digest)
            #expect(try await store.begin(session, invited: third.code.digest, at: moment(5)) == .open)
            #expect(try await store.revokeInvitation(third.invitation.id, at: moment(6), actor: "bob") == .used)
            let nobody = Sample().invitation.id
            #expect(try await store.revokeInvitation(nobody, at: moment(6), actor: "bob") == nil)
            let first = try await store.invitations(after: nil, limit: 2)
            let rest = try await store.invitations(after: try #require(first.last?.id), limit: 2)
            #expect(first.count == 2 && rest.count == 1)
            #expect(try await store.hasInvitation(third.invitation.id))
            #expect(try await store.hasInvitation(nobody) == false)
            #expect(
                Set((first + rest).map(\.id)) == [sample.invitation.id, second.invitation.id, third.invitation.id])
            #expect((first + rest).allSatisfy { $0.note == "for a test" && $0.createdBy == "alice" })
        }
    }

    @Test func `a challenge is answered once, whatever comes of it`() async throws {
        try await withSession { store, _, session, _ async throws in
            let challenge = try challenge(session)
            #expect(
                try await store.attest(
                    session.id, answering: [UInt8](repeating: 0, count: 32), as: session.registration())
                    == .failure(.challengeUsed))
            try await store.refuseAttestation(
                of: session.id, answering: challenge, reason: "CHAIN_UNTRUSTED", at: moment(3))
            #expect(
                try await store.attest(session.id, answering: challenge, as: session.registration())
                    == .failure(.challengeUsed))
            #expect(try await store.devices([session.device]).isEmpty)
            let trail = try await store.auditTrail(of: "\(session.user)", limit: 1)
            #expect(trail.map(\.action) == ["enrolment.refuse"] && trail[0].details["reason"] == "CHAIN_UNTRUSTED")
        }
    }

    @Test func `of attestations that race one registers the device`() async throws {
        try await withSession(connections: 8) { store, _, session, _ async throws in
            let challenge = try challenge(session)
            let outcomes = try await race(6) { index in
                try await store.attest(
                    session.id, answering: challenge, as: session.registration(key: UInt8(index + 1)))
            }
            let losers = outcomes.filter { $0 == .failure(.wrongStep(expected: .password)) }
            #expect(losers.count == 5)
            #expect(try await store.listDevices(after: nil, limit: 9).count == 1)
        }
    }

    @Test func `of completions that race one holds, and all are told it`() async throws {
        try await withSession(connections: 8) { store, client, session, sample async throws in
            _ = try await store.attest(session.id, answering: challenge(session), as: session.registration())
            _ = try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: moment(20))
            let completions = (0..<6).map { sample.completion(session.keys[1 + $0 % 2].id) }
            let outcomes = try await race(6) { index in
                try await store.finalize(session.id, with: completions[index], at: moment(30)).get()
            }
            #expect(outcomes.allSatisfy { $0 == outcomes[0] })
            #expect(completions.map(\.package).contains(try #require(outcomes[0].package)))
            #expect(outcomes[0].keys.filter { $0.sealedPrivateKey == nil }.count == 2)
            let trail = try await store.auditTrail(of: "\(session.user)", limit: 10)
            #expect(trail.filter { $0.action == "enrolment.finalize" }.count == 1)
        }
    }

    @Test func `neither a key nor an id that is registered enrols`() async throws {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered(key: 5)
            for (key, id) in [(UInt8(5), nil), (6, device.id), (5, device.id)] as [(UInt8, DeviceID?)] {
                var sample = Sample()
                let fresh = sample.session()
                let session = EnrolmentSession(
                    id: fresh.id, user: fresh.user, device: id ?? fresh.device, expiresAt: fresh.expiresAt,
                    challenge: fresh.challenge, keys: fresh.keys)
                try await store.invite(sample.invitation, code: sample.code.digest)
                #expect(try await store.begin(session, invited: sample.code.digest, at: moment(1)) == .open)
                let challenge = try challenge(session)
                #expect(
                    try await store.attest(session.id, answering: challenge, as: session.registration(key: key))
                        == .failure(.conflict))
                #expect(
                    try await store.attest(session.id, answering: challenge, as: session.registration(key: 7))
                        == .failure(.challengeUsed))
            }
            #expect(try await store.listDevices(after: nil, limit: 9).count == 1)
        }
    }

    @Test(arguments: [nil, AttestationLevel.unverified])
    func `an id that somebody else registers at the same moment uses the challenge up`(
        holder: AttestationLevel?
    ) async throws {
        try await withSession { store, client, session, _ async throws in
            let challenge = try challenge(session)
            var held: Device?
            if let holder { held = try await store.registered(level: holder) }
            let values = [PostgresValue.uuid(session.device.uuid)]
            let outcome = try await client.withTransaction { connection throws(PostgresError) in
                for statement in Self.other { _ = try await connection.execute(statement, values) }
                let attestation = Task {
                    try await store.attest(session.id, answering: challenge, as: session.registration())
                }
                while try await client.execute(Self.waiting).first?.int8("waiting") == 0 { await Task.yield() }
                return attestation
            }
            #expect(try await outcome.value == .failure(.conflict))
            #expect(
                try await store.attest(session.id, answering: challenge, as: session.registration())
                    == .failure(.challengeUsed))
            let trail = try await store.auditTrail(of: "\(session.user)", limit: 1)
            #expect(trail.map(\.action) == ["enrolment.refuse"] && trail[0].details["reason"] == "CONFLICT")
            if let held { #expect(try await store.devices([held.id])[held.id]?.revokedAt == nil) }
            #expect(try await store.register(.sample()) == .created, "its key is free for a verified device")
        }
    }

    @Test func `a device that is revoked in the meantime gets no further`() async throws {
        try await withSession { store, _, session, sample async throws in
            _ = try await store.attest(session.id, answering: challenge(session), as: session.registration())
            let late = sample.completion(session.keys[1].id)
            #expect(try await store.revoke(session.device, at: moment(15), reason: "lost", actor: "bob"))
            #expect(
                try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: moment(20))
                    == .failure(.revoked))
            #expect(
                try await store.finalize(session.id, with: late, at: moment(20))
                    == .failure(.wrongStep(expected: .password)))
            #expect(try await store.enrolment(session.id)?.state == .passwordRequired)
        }
    }

    @Test(arguments: [false, true])
    func `a device that is revoked before or after the last step is not told its credential`(
        isEnrolled: Bool
    ) async throws {
        try await withSession { store, _, session, sample async throws in
            _ = try await store.attest(session.id, answering: challenge(session), as: session.registration())
            _ = try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: moment(20))
            let completion = sample.completion(session.keys[1].id)
            if isEnrolled { _ = try await store.finalize(session.id, with: completion, at: moment(30)).get() }
            #expect(try await store.revoke(session.device, at: moment(35), reason: "lost", actor: "bob"))
            #expect(try await store.finalize(session.id, with: completion, at: moment(40)) == .failure(.revoked))
            let read = try #require(try await store.enrolment(session.id))
            #expect(read.revokedAt == moment(35) && read.refusal(of: .finalize, at: moment(40)) == .revoked)
            #expect(read.state == (isEnrolled ? .enrolled : .passwordSet))
        }
    }

    @Test func `nothing goes on once a session is over, and what is left of it is forgotten`() async throws {
        try await withSession { store, client, session, sample async throws in
            let challenge = try challenge(session)
            let over = moment(1800)
            let late = session.registration(at: over)
            #expect(try await store.attest(session.id, answering: challenge, as: late) == .failure(.expired))
            _ = try await store.attest(session.id, answering: challenge, as: session.registration())
            #expect(
                try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: over)
                    == .failure(.expired))
            _ = try await store.setPassword(hash, from: [UInt8](1...32), of: session.id, at: moment(20))
            let completion = sample.completion(session.keys[1].id)
            #expect(try await store.finalize(session.id, with: completion, at: over) == .failure(.expired))
            _ = try await store.finalize(session.id, with: completion, at: moment(30))
            #expect(try await store.finalize(session.id, with: completion, at: over) == .failure(.expired))
            let unknown = Sample().invitation.id
            #expect(
                try await store.finalize(EnrolmentID(unknown.uuid), with: completion, at: moment(30))
                    == .failure(.unknown))

            // A second one that came to nothing, and an invitation that nobody used.
            var other = Sample()
            let idle = Sample()
            let abandoned = other.session()
            for each in [other, idle] { try await store.invite(each.invitation, code: each.code.digest) }
            _ = try await store.begin(abandoned, invited: other.code.digest, at: moment(1))
            for statement in Self.future { _ = try await client.execute(statement) }
            #expect(try await store.purgeEnrolments(expiredFor: .zero, limit: 100) == 0)
            for statement in Self.past { _ = try await client.execute(statement) }
            #expect(try await store.purgeEnrolments(expiredFor: .seconds(7200), limit: 100) == 1, "the package")
            #expect(try await store.enrolment(abandoned.id) != nil)
            #expect(try await store.enrolment(session.id)?.package == nil)
            #expect(try await store.purgeEnrolments(expiredFor: .seconds(60), limit: 100) == 2)
            #expect(try await store.enrolment(abandoned.id) == nil)
            let left = try await store.invitations(after: nil, limit: 9)
            #expect(left.map(\.id) == [sample.invitation.id], "an enrolment names its invitation")
            let enrolled = try #require(try await store.enrolment(session.id))
            #expect(enrolled.state == .enrolled && enrolled.keys.count == 3)
            #expect(try await client.execute(Self.keys).first?.int8("rows") == 3)
        }
    }

    @Test(arguments: [
        "UPDATE enrolments SET state = 'attestation_required'",
        "UPDATE enrolments SET state = 'enrolled'",
        "UPDATE enrolments SET state = 'password_set'",
        "UPDATE enrolments SET device_id = gen_random_uuid()",
        "UPDATE enrolments SET challenge = decode(repeat('00', 32), 'hex')",
        "UPDATE enrolments SET package = '\\x00'",
        "UPDATE transaction_keys SET private_key = NULL",
        "UPDATE transaction_keys SET public_key = '\\x00'",
        "UPDATE invitations SET revoked_at = now()",
        "DELETE FROM invitations",
    ])
    func `the database refuses nonsense`(_ sql: String) async throws {
        try await withSession { store, client, session, _ async throws in
            _ = try await store.attest(session.id, answering: challenge(session), as: session.registration())
            let error = await #expect(throws: PostgresError.self) {
                try await client.withConnection { connection throws(PostgresError) in
                    try await connection.executeScript(sql)
                }
            }
            #expect(error?.sqlState?.hasPrefix("23") == true)
        }
    }

    /// A device with another key.
    private static let other = [
        PostgresStatement(
            "test_other_key",
            """
            INSERT INTO counters (key_id, last_seen)
            SELECT decode(repeat('ee', 32), 'hex'), now() WHERE $1::uuid IS NOT NULL
            """),
        PostgresStatement(
            "test_other_device",
            """
            INSERT INTO devices (id, key_id, algorithm, level, platform, model, has_lidar, registered_at)
            VALUES ($1, decode(repeat('ee', 32), 'hex'), 'ed25519', 'unverified', 'ios', 'x', false, now())
            """),
    ]
    private static let waiting = PostgresStatement(
        "test_waiting",
        """
        SELECT count(*) AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """)
    private static let secrets = PostgresStatement(
        "test_secrets", "SELECT count(*) AS rows FROM audit WHERE subject LIKE $1::text OR details::text LIKE $1::text")
    private static let kept = PostgresStatement("test_kept", "SELECT password_hash, token_digest FROM enrolments")
    private static let sessions = PostgresStatement("test_sessions", "SELECT count(*) AS rows FROM enrolments")
    private static let keys = PostgresStatement("test_keys", "SELECT count(*) AS rows FROM transaction_keys")
    private static let future = [
        PostgresStatement("test_future_sessions", "UPDATE enrolments SET expires_at = now() + interval '1 hour'"),
        PostgresStatement("test_future_invitations", "UPDATE invitations SET expires_at = now() + interval '1 hour'"),
    ]
    private static let past = [
        PostgresStatement(
            "test_past_sessions",
            "UPDATE enrolments SET created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'"),
        PostgresStatement(
            "test_past_invitations",
            "UPDATE invitations SET created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'"),
    ]
}
