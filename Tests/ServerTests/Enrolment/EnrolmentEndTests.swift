import CaptureModel
import CaptureStore
import Enrolment
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Enrolments that come to an end in PostgreSQL` {
    private let hash: PasswordHash

    init() throws { hash = try .sample() }

    @Test func `a device that is revoked in the meantime gets no further`() async throws {
        try await withEnrolmentSession { store, _, session, sample async throws in
            _ = try await store.attest(session.id, answering: session.openChallenge(), as: session.registration())
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
        try await withEnrolmentSession { store, _, session, sample async throws in
            _ = try await store.attest(session.id, answering: session.openChallenge(), as: session.registration())
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
        try await withEnrolmentSession { store, client, session, sample async throws in
            let challenge = try session.openChallenge()
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
            let unknown = EnrolmentSample().invitation.id
            #expect(
                try await store.finalize(EnrolmentID(unknown.uuid), with: completion, at: moment(30))
                    == .failure(.unknown))

            // A second one that came to nothing, and an invitation that nobody used.
            var other = EnrolmentSample()
            let idle = EnrolmentSample()
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
