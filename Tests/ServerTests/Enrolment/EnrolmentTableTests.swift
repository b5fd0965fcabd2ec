import CaptureModel
import CaptureStore
import Enrolment
import PostgresCaptureStore
import PostgresClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct `The tables of enrolments` {
    @Test func `what the database has of a session leads nobody to it`() async throws {
        try await withEnrolmentSession { store, client, session, _ async throws in
            let row = try #require(try await client.execute(Self.row).first)
            #expect(try row.text("everything").contains("\(session.user)"))
            #expect(try !row.text("everything").contains("\(session.id)"))
            let inner = EnrolmentID(try row.uuid("id"))
            #expect(inner != session.id)
            #expect(try await store.enrolment(inner) == nil)
            let challenge = try session.openChallenge()
            #expect(
                try await store.attest(inner, answering: challenge, as: session.registration()) == .failure(.unknown))
            #expect(try await store.enrolment(session.id) == session)
        }
    }

    @Test(
        arguments: [
            ("UPDATE enrolments SET state = 'attestation_required'", "enrolments_in_order"),
            ("UPDATE enrolments SET state = 'enrolled'", "enrolments_in_order"),
            ("UPDATE enrolments SET state = 'password_set'", "enrolments_password"),
            ("UPDATE enrolments SET device_id = gen_random_uuid()", "enrolments_in_order"),
            ("UPDATE enrolments SET id = gen_random_uuid()", "enrolments_in_order"),
            ("UPDATE enrolments SET session_digest = sha256('x')", "enrolments_in_order"),
            ("UPDATE enrolments SET session_digest = NULL", "enrolments_in_order"),
            ("UPDATE enrolments SET challenge = decode(repeat('00', 32), 'hex')", "enrolments_challenge"),
            ("UPDATE enrolments SET package = '\\x00'", "enrolments_enrolled"),
            (sameSession, "enrolments_session_digest_key"),
            ("UPDATE transaction_keys SET private_key = NULL", "transaction_keys_used"),
            ("UPDATE transaction_keys SET public_key = '\\x00'", "transaction_keys_public_key_check"),
            ("UPDATE invitations SET revoked_at = now()", "invitations_end"),
            ("DELETE FROM invitations", "enrolments_invitation_id_fkey"),
        ])
    func `the database refuses an enrolment that is nonsense`(_ sql: String, constraint: String) async throws {
        try await withEnrolmentSession { store, client, session, _ async throws in
            _ = try await store.attest(session.id, answering: session.openChallenge(), as: session.registration())
            let error = await #expect(throws: PostgresError.self) {
                try await client.executeScript(sql)
            }
            #expect(error?.sqlState?.hasPrefix("23") == true && error?.message == "constraint \(constraint)")
        }
    }

    private static let sameSession = """
        INSERT INTO enrolments
        SELECT (jsonb_populate_record(enrolments, jsonb_build_object(
            'id', gen_random_uuid(), 'user_guid', gen_random_uuid(), 'invitation_id', gen_random_uuid(),
            'state', 'attestation_required'))).*
        FROM enrolments
        """
    private static let row = PostgresStatement(
        "test_row",
        """
        SELECT enrolments.id, jsonb_build_array(
            to_jsonb(enrolments), to_jsonb(invitations), (SELECT jsonb_agg(transaction_keys) FROM transaction_keys),
            (SELECT jsonb_agg(audit) FROM audit))::text AS everything
        FROM enrolments JOIN invitations ON invitations.id = invitation_id
        """)
}
