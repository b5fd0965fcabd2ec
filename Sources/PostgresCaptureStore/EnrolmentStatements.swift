import PostgresClient

extension Statements {
    // MARK: Enrolments

    /// The statements of enrolments; in those of one session, `$1` is its digest.
    static let enrolments = [
        isDeviceTaken, insertEnrolment, insertTransactionKeys, readEnrolment, lockEnrolment, answerChallenge,
        attestEnrolment, setEnrolmentPassword, finalizeEnrolment, useTransactionKey, purgePackages, purgeEnrolments,
        purgeInvitations,
    ]

    static let isDeviceTaken = PostgresStatement(
        "enrolment_device", "SELECT EXISTS (SELECT FROM devices WHERE id = $1) AS is_taken")

    static let insertEnrolment = PostgresStatement(
        "enrolment_insert",
        """
        INSERT INTO enrolments (
            id, session_digest, user_guid, invitation_id, device_id, state, created_at, expires_at, challenge)
        VALUES (gen_random_uuid(), $1, $2, $3, $4, 'attestation_required', $5, $6, $7)
        """)

    static let insertTransactionKeys = PostgresStatement(
        "transaction_key_insert",
        """
        INSERT INTO transaction_keys (enrolment_id, id, public_key, private_key, place)
        SELECT enrolments.id, key.id, key.public_key, key.private_key, key.place - 1
        FROM enrolments,
            unnest($2::uuid[], $3::bytea[], $4::bytea[]) WITH ORDINALITY AS key (id, public_key, private_key, place)
        WHERE session_digest = $1
        """)

    /// It is one statement: between two, another step could change the session before its keys are read.
    static let readEnrolment = PostgresStatement(
        "enrolment_read",
        """
        SELECT user_guid, device_id, state, expires_at, challenge, device_key, package, revoked_at, keys.*
        FROM enrolments
        LEFT JOIN known_devices_v1 ON known_devices_v1.id = enrolments.device_id
        CROSS JOIN LATERAL (
            SELECT coalesce(array_agg(id ORDER BY place), '{}') AS key_ids,
                coalesce(array_agg(public_key ORDER BY place), '{}') AS public_keys,
                coalesce(array_agg(private_key ORDER BY place), '{}') AS private_keys
            FROM transaction_keys WHERE enrolment_id = enrolments.id
        ) AS keys
        WHERE session_digest = $1
        """)

    /// Puts the steps of one session one after the other; a revocation that races with a step may come after it.
    ///
    /// The session is then read by a statement of its own, which also sees the keys that the lock's last holder
    /// committed.
    static let lockEnrolment = PostgresStatement(
        "enrolment_lock", "SELECT state FROM enrolments WHERE session_digest = $1 FOR UPDATE")

    static let answerChallenge = PostgresStatement(
        "enrolment_answer", "UPDATE enrolments SET challenge = NULL WHERE session_digest = $1")

    static let attestEnrolment = PostgresStatement(
        "enrolment_attest",
        "UPDATE enrolments SET state = 'password_required', challenge = NULL WHERE session_digest = $1")

    static let setEnrolmentPassword = PostgresStatement(
        "enrolment_password",
        """
        UPDATE enrolments SET state = 'password_set', password_hash = $2, device_key = $3 WHERE session_digest = $1
        """)

    static let finalizeEnrolment = PostgresStatement(
        "enrolment_finalize",
        """
        UPDATE enrolments
        SET state = 'enrolled', enrolled_at = $2, token_digest = $3, credential_digest = $4, package = $5
        WHERE session_digest = $1
        """)

    static let useTransactionKey = PostgresStatement(
        "transaction_key_use",
        """
        UPDATE transaction_keys SET private_key = NULL, used_at = $3
        WHERE id = $2 AND used_at IS NULL
            AND enrolment_id = (SELECT enrolments.id FROM enrolments WHERE session_digest = $1)
        """)

    // What is due is found first: joined with the table, it could be found once more for each row of it.

    static let purgePackages = PostgresStatement(
        "enrolment_purge_packages",
        """
        UPDATE enrolments SET package = NULL WHERE id = ANY (ARRAY(
            SELECT id FROM enrolments WHERE package IS NOT NULL AND expires_at < statement_timestamp()
            ORDER BY expires_at
            LIMIT $1
            FOR UPDATE SKIP LOCKED))
        """)

    static let purgeEnrolments = PostgresStatement(
        "enrolment_purge",
        """
        DELETE FROM enrolments WHERE id = ANY (ARRAY(
            SELECT id FROM enrolments
            WHERE state <> 'enrolled' AND expires_at < statement_timestamp() - $1::bigint * interval '1 microsecond'
            ORDER BY expires_at
            LIMIT $2
            FOR UPDATE SKIP LOCKED))
        """)

    /// Used invitations are deleted with their enrolment, by a trigger, or stay with it for good.
    static let purgeInvitations = PostgresStatement(
        "invitation_purge",
        """
        DELETE FROM invitations WHERE id = ANY (ARRAY(
            SELECT id FROM invitations
            WHERE used_at IS NULL AND expires_at < statement_timestamp() - $1::bigint * interval '1 microsecond'
            ORDER BY expires_at
            LIMIT $2
            FOR UPDATE SKIP LOCKED))
        """)
}
