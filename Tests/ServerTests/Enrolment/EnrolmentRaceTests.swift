import CaptureModel
import CaptureStore
import Enrolment
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Enrolments that race in PostgreSQL` {
    private let hash: PasswordHash

    init() throws { hash = try .sample() }

    @Test func `an invitation opens one session, however many race for it`() async throws {
        try await withPostgresStore(connections: 8) { store, client async throws in
            var sample = EnrolmentSample()
            try await store.invite(sample.invitation, code: sample.code.digest)
            let code = sample.code.digest
            let sessions = (0..<8).map { _ in sample.session() }
            // In the order in which they end.
            let outcomes = try await race(8) { index in
                (index, try await store.begin(sessions[index], invited: code, at: moment(1)))
            }
            let winners = outcomes.filter { $0.1 == .begun }.map(\.0)
            #expect(winners.count == 1)
            #expect(outcomes.filter { $0.1 == .refused(.used) }.count == 7)
            #expect(try await client.execute(Self.sessions).first?.int8("rows") == 1)
            let winner = sessions[try #require(winners.first)]
            // Its answer may be lost.
            #expect(try await store.begin(winner, invited: code, at: moment(2)) == .refused(.used))
            #expect(try await store.enrolment(winner.id) == winner)
            #expect(try await client.execute(Self.sessions).first?.int8("rows") == 1)
        }
    }

    @Test func `of attestations that race one registers the device`() async throws {
        try await withEnrolmentSession(connections: 8) { store, _, session, _ async throws in
            let challenge = try session.openChallenge()
            let outcomes = try await race(6) { index in
                (
                    index + 1,
                    try await store.attest(
                        session.id, answering: challenge, as: session.registration(key: UInt8(index + 1)))
                )
            }
            var winners: [Int] = []
            for case (let key, .success) in outcomes { winners.append(key) }
            let winner = session.registration(key: UInt8(try #require(winners.first))).device
            let losers = outcomes.filter { $0.1 == .failure(.wrongStep(expected: .password)) }
            #expect(winners.count == 1 && losers.count == 5)
            let listed = try await store.listDevices(after: nil, limit: 9).map(\.device)
            #expect(listed.map(\.keyID) == [winner.keyID] && listed.map(\.id) == [session.device])
            #expect(try await store.enrolment(session.id)?.state == .passwordRequired)
        }
    }

    @Test func `a session is read with the keys that it has at the same moment`() async throws {
        try await withPostgresStore(connections: 8) { store, _ async throws in
            for number in 1...8 {
                var sample = EnrolmentSample()
                let session = sample.session()
                try await store.invite(sample.invitation, code: sample.code.digest)
                _ = try await store.begin(session, invited: sample.code.digest, at: moment(1))
                let registration = session.registration(key: UInt8(number))
                _ = try await store.attest(session.id, answering: session.openChallenge(), as: registration).get()
                let sights = try await race(6) { index in
                    if index == 0 {
                        let deviceKey = [UInt8](1...32)
                        _ = try await store.setPassword(hash, from: deviceKey, of: session.id, at: moment(20)).get()
                    }
                    var sights: [EnrolmentSession] = []
                    repeat {
                        sights.append(try #require(try await store.enrolment(session.id)))
                    } while sights.last?.state == .passwordRequired
                    return sights
                }
                for sight in sights.flatMap({ $0 }) {
                    #expect((sight.keys.first?.sealedPrivateKey == nil) == (sight.state == .passwordSet))
                }
            }
        }
    }

    @Test func `of completions that race one holds, and all are told it`() async throws {
        try await withEnrolmentSession(connections: 8) { store, client, session, sample async throws in
            _ = try await store.attest(session.id, answering: session.openChallenge(), as: session.registration())
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

    @Test(arguments: [nil, AttestationLevel.unverified])
    func `an id that somebody else registers at the same moment uses the challenge up`(
        holder: AttestationLevel?
    ) async throws {
        try await withEnrolmentSession { store, client, session, _ async throws in
            let challenge = try session.openChallenge()
            var held: Device?
            if let holder { held = try await store.registered(level: holder) }
            let values = [PostgresValue.uuid(session.device.uuid)]
            let outcome = try await client.withTransaction { connection throws(PostgresError) in
                for statement in Self.other { _ = try await connection.execute(statement, values) }
                let attestation = Task {
                    try await store.attest(session.id, answering: challenge, as: session.registration())
                }
                await client.eventuallyWait(1)
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
    private static let sessions = PostgresStatement("test_sessions", "SELECT count(*) AS rows FROM enrolments")
}
