import CaptureModel
import CaptureStore
import Enrolment
import PostgresCaptureStore
import PostgresClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct `What the database keeps of ended enrolments` {
    private static let mine = "sha256('mine')"

    /// A session that the last step of another one has made; its row would be good but for that.
    private static let enrolled = """
        INSERT INTO invitations (id, code_digest, created_at, created_by, expires_at)
        VALUES ('00000000-0000-4000-8000-000000000001', \(mine), now(), 'a', now() + interval '1 hour');
        INSERT INTO enrolments
        SELECT (jsonb_populate_record(enrolments, jsonb_build_object(
            'id', gen_random_uuid(), 'user_guid', gen_random_uuid(), 'session_digest', \(mine), 'token_digest', \(mine),
            'invitation_id', '00000000-0000-4000-8000-000000000001'))).*
        FROM enrolments
        """

    @Test(arguments: [
        ("UPDATE enrolments SET password_hash = password_hash || 'x'", "enrolments_kept"),
        ("UPDATE enrolments SET device_key = \(mine)", "enrolments_kept"),
        ("UPDATE enrolments SET token_digest = \(mine)", "enrolments_kept"),
        ("UPDATE enrolments SET credential_digest = \(mine)", "enrolments_kept"),
        ("UPDATE enrolments SET enrolled_at = 'epoch'", "enrolments_kept"),
        ("UPDATE enrolments SET package = \(mine)", "enrolments_kept"),
        ("UPDATE enrolments SET package = NULL; UPDATE enrolments SET package = \(mine)", "enrolments_kept"),
        ("UPDATE enrolments SET expires_at = 'infinity'", "enrolments_moments"),
        (enrolled, "enrolments_in_order"),
        ("DELETE FROM enrolments", "enrolments_not_deleted"),
        ("TRUNCATE enrolments CASCADE", "enrolments_not_emptied"),
        ("TRUNCATE invitations CASCADE", "enrolments_not_emptied"),
        ("UPDATE invitations SET used_at = NULL", "invitations_kept"),
        ("UPDATE invitations SET used_at = now()", "invitations_kept"),
        ("UPDATE invitations SET code_digest = \(mine)", "invitations_kept"),
        ("UPDATE invitations SET expires_at = 'infinity'", "invitations_moments"),
        (
            """
            INSERT INTO invitations (id, code_digest, created_at, created_by, expires_at, used_at)
            VALUES (gen_random_uuid(), \(mine), now(), 'a', now() + interval '1 hour', now())
            """, "invitations_begun"
        ),
    ])
    func `an enrolment or invitation that has ended is neither changed nor made up nor deleted`(
        _ sql: String, constraint: String
    ) async throws {
        try await withEnrolmentSession { store, client, session, sample async throws in
            _ = try await store.attest(session.id, answering: session.openChallenge(), as: session.registration())
            _ = try await store.setPassword(.sample(), from: [UInt8](1...32), of: session.id, at: moment(20))
            let completion = sample.completion(session.keys[1].id)
            _ = try await store.finalize(session.id, with: completion, at: moment(30)).get()
            try await Self.expectRefusal(of: sql, by: constraint, client)
        }
    }

    @Test(arguments: [
        ("UPDATE enrolments SET password_hash = password_hash || 'x'", "enrolments_kept"),
        ("UPDATE enrolments SET device_key = \(mine)", "enrolments_kept"),
    ])
    func `a password that is set is kept until the last step`(_ sql: String, constraint: String) async throws {
        try await withEnrolmentSession { store, client, session, _ async throws in
            _ = try await store.attest(session.id, answering: session.openChallenge(), as: session.registration())
            _ = try await store.setPassword(.sample(), from: [UInt8](1...32), of: session.id, at: moment(20))
            try await Self.expectRefusal(of: sql, by: constraint, client)
        }
    }

    @Test func `an invitation that was taken back stays so, and is deleted in its time`() async throws {
        try await withPostgresStore { store, client async throws in
            let sample = EnrolmentSample(expiresAt: moment(60))
            try await store.invite(sample.invitation, code: sample.code.digest)
            #expect(try await store.revokeInvitation(sample.invitation.id, at: moment(5), actor: "bob") == .open)
            for change in ["NULL", "now()"] {
                let sql = "UPDATE invitations SET revoked_at = \(change)"
                try await Self.expectRefusal(of: sql, by: "invitations_kept", client)
            }
            let past = PostgresStatement(
                "test_past", "UPDATE invitations SET created_at = 'epoch', expires_at = now() - interval '1 hour'")
            _ = try await client.execute(past)
            #expect(try await store.purgeEnrolments(expiredFor: .seconds(60), limit: 10) == 1)
        }
    }

    private static func expectRefusal(
        of sql: String, by constraint: String, _ client: PostgresClient,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = await #expect(throws: PostgresError.self, sourceLocation: sourceLocation) {
            try await client.executeScript(sql)
        }
        #expect(
            error?.sqlState?.hasPrefix("23") == true && error?.message == "constraint \(constraint)",
            "\(error as Any)", sourceLocation: sourceLocation)
    }
}
