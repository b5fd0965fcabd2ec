import CaptureModel
import CaptureStore
import Enrolment
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Enrolments in PostgreSQL` {
    private let hash: PasswordHash

    init() throws { hash = try .sample() }

    @Test func `an enrolment takes one step after the other, and each is in the audit`() async throws {
        try await withEnrolmentSession { store, client, session, sample async throws in
            #expect(try await store.enrolment(session.id) == session)
            let attested = try await store.attest(
                session.id, answering: session.openChallenge(), as: session.registration()
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
        try await withEnrolmentSession { store, _, session, sample async throws in
            let completion = sample.completion(session.keys[1].id)
            func early() async throws -> [Result<EnrolmentSession, EnrolmentRefusal>] {
                [
                    try await store.attest(
                        session.id, answering: session.openChallenge(), as: session.registration(key: 9)),
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

    @Test func `an invitation that is unknown, late or taken back opens none`() async throws {
        try await withPostgresStore { store, client async throws in
            var sample = EnrolmentSample(expiresAt: moment(100))
            let session = sample.session()
            #expect(try await store.begin(session, invited: sample.code.digest, at: moment(1)) == .refused(nil))
            try await store.invite(sample.invitation, code: sample.code.digest)
            #expect(try await store.begin(session, invited: sample.code.digest, at: moment(100)) == .refused(.expired))
            #expect(
                try await store.revokeInvitation(sample.invitation.id, at: moment(100), actor: "bob") == .expired)

            let second = EnrolmentSample(expiresAt: moment(100))
            try await store.invite(second.invitation, code: second.code.digest)
            #expect(try await store.revokeInvitation(second.invitation.id, at: moment(2), actor: "bob") == .open)
            #expect(try await store.revokeInvitation(second.invitation.id, at: moment(3), actor: "bob") == .revoked)
            #expect(try await store.begin(session, invited: second.code.digest, at: moment(4)) == .refused(.revoked))
            #expect(
                try await store.auditTrail(of: "\(second.invitation.id)", limit: 9).map(\.action)
                    == ["invitation.revoke", "invitation.create"])

            let third = EnrolmentSample(expiresAt: moment(100))
            try await store.invite(third.invitation, code: third.code.digest)
            #expect(try await store.begin(session, invited: third.code.digest, at: moment(5)) == .begun)
            #expect(try await store.revokeInvitation(third.invitation.id, at: moment(6), actor: "bob") == .used)
            let nobody = EnrolmentSample().invitation.id
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
        try await withEnrolmentSession { store, _, session, _ async throws in
            let challenge = try session.openChallenge()
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

    @Test func `a device under another id than the session's is not registered by it`() async throws {
        try await withEnrolmentSession { store, _, session, _ async throws in
            let challenge = try session.openChallenge()
            let other = DeviceRegistration.sample(key: 1, id: DeviceID(UUID()), at: moment(10))
            #expect(
                try await store.attest(session.id, answering: challenge, as: other) == .failure(.conflict))
            #expect(try await store.listDevices(after: nil, limit: 9).isEmpty)
            #expect(
                try await store.attest(session.id, answering: challenge, as: session.registration())
                    == .failure(.challengeUsed))
            let trail = try await store.auditTrail(of: "\(session.user)", limit: 9)
            #expect(trail.map(\.action) == ["enrolment.refuse", "enrolment.start"])
        }
    }

    @Test func `an attestation that is not good is noted once, and only where it answers the session's challenge`()
        async throws
    {
        try await withEnrolmentSession { store, _, session, _ async throws in
            let foreign = [UInt8](repeating: 0, count: 32)
            try await store.refuseAttestation(
                of: session.id, answering: foreign, reason: "NONCE_MISMATCH", at: moment(2))
            #expect(try await store.enrolment(session.id) == session)
            let challenge = try session.openChallenge()
            for second in 3...4 {
                try await store.refuseAttestation(
                    of: session.id, answering: challenge, reason: "CHAIN_UNTRUSTED", at: moment(second))
            }
            let trail = try await store.auditTrail(of: "\(session.user)", limit: 9)
            #expect(trail.map(\.action) == ["enrolment.refuse", "enrolment.start"])
            #expect(trail[0].details["reason"] == "CHAIN_UNTRUSTED")
        }
    }

    @Test func `a device that is registered begins nothing, and leaves the invitation open`() async throws {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered(key: 5)
            var sample = EnrolmentSample()
            let (session, fresh) = (sample.session(of: device.id), sample.session())
            let code = sample.code.digest
            // Whoever has no open invitation learns nothing about devices.
            #expect(try await store.begin(session, invited: code, at: moment(1)) == .refused(nil))
            try await store.invite(sample.invitation, code: code)
            #expect(try await store.begin(session, invited: code, at: moment(86_400)) == .refused(.expired))
            for _ in 0..<2 {
                #expect(try await store.begin(session, invited: code, at: moment(1)) == .registered)
                #expect(try await store.standing(of: code, at: moment(1)) == .open)
            }
            #expect(try await store.enrolment(session.id) == nil)
            #expect(try await store.begin(fresh, invited: code, at: moment(1)) == .begun)
            #expect(try await store.begin(session, invited: code, at: moment(1)) == .refused(.used))
            #expect(try await store.auditTrail(of: "\(session.user)", limit: 9).isEmpty)
        }
    }

    @Test(arguments: [(5, false), (6, true), (5, true)] as [(UInt8, Bool)])
    func `neither a key nor an id that was registered meanwhile enrols`(key: UInt8, hasSameID: Bool) async throws {
        try await withEnrolmentSession { store, _, session, _ async throws in
            let other = DeviceRegistration.sample(key: 5, id: hasSameID ? session.device : DeviceID(UUID()))
            #expect(try await store.register(other) == .created)
            let challenge = try session.openChallenge()
            #expect(
                try await store.attest(session.id, answering: challenge, as: session.registration(key: key))
                    == .failure(.conflict))
            #expect(
                try await store.attest(session.id, answering: challenge, as: session.registration(key: 7))
                    == .failure(.challengeUsed))
            #expect(try await store.listDevices(after: nil, limit: 9).count == 1)
        }
    }

    private static let secrets = PostgresStatement(
        "test_secrets", "SELECT count(*) AS rows FROM audit WHERE subject LIKE $1::text OR details::text LIKE $1::text")
    private static let kept = PostgresStatement("test_kept", "SELECT password_hash, token_digest FROM enrolments")
}
