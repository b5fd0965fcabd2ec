import PostgresClient

extension Statements {
    // MARK: Intake
    //
    // For rows looked up by id, `coalesce` tests whether they are open. `closed_at IS NULL` would let PostgreSQL go
    // through the index of all open rows, which were few when it last took statistics and may be a million now.

    /// The statements of the ledger.
    static let intake = [
        recordIntake, recordIntakeByDigest, withdrawIntake, passIntake, discardIntake, reinstateIntake, openIntake,
        newestIntake, holdIntake, holdFreeIntake, claimIntake, intakeEntries, acceptedIntake, noteDeadIntake,
        purgeIntake, lockIntake, unlockIntake,
    ]

    /// The columns of a ledger row, in the order of the values with which one is put back.
    private static let entryColumns: StaticString = """
        capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest,
            photo_bytes, depth_bytes, received_at, traceparent, bundle_store, place, recorded_at, buried_at, claimed_at
        """

    static let recordIntake = PostgresStatement(
        "intake_record",
        """
        SELECT number, first_id, is_open, is_claimed
        FROM capture_intake_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
        """)

    static let recordIntakeByDigest = PostgresStatement(
        "intake_record_by_digest",
        """
        SELECT number, first_id, is_open, is_claimed
        FROM capture_intake_v1(
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, by_digest_alone => true)
        """)

    static let withdrawIntake = PostgresStatement(
        "intake_withdraw",
        "DELETE FROM intake WHERE capture_id = $1::uuid AND coalesce(closed_at, 'infinity') = 'infinity' AND claimed_at IS NULL"
    )

    /// With the later upload's time, the capture could come after a revocation of its device in between.
    ///
    /// The time that the row gets lies in Redis. `recorded_at` stays, by which settling holds it.
    static let passIntake = PostgresStatement(
        "intake_pass",
        """
        UPDATE intake
        SET capture_id = $2::uuid, received_at = least(received_at, $3::timestamptz), claimed_at = NULL
        WHERE capture_id = $1::uuid AND coalesce(closed_at, 'infinity') = 'infinity'
            AND NOT EXISTS (SELECT FROM intake AS taken WHERE taken.capture_id = $2::uuid)
            AND NOT EXISTS (SELECT FROM captures WHERE captures.id = $2::uuid)
        """)

    static let discardIntake = PostgresStatement(
        "intake_discard",
        joining: """
            DELETE FROM intake WHERE capture_id = $1::uuid AND coalesce(closed_at, 'infinity') = 'infinity'
            RETURNING
            """,
        entryColumns)

    /// If an upload of the same bundle has recorded the capture again, as of then, the earlier times count.
    ///
    /// Such a row keeps its later place: PostgreSQL changes no column that is always generated.
    static let reinstateIntake = PostgresStatement(
        "intake_reinstate",
        joining: "INSERT INTO intake (", entryColumns,
        """
        )
        OVERRIDING SYSTEM VALUE
        VALUES (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
            coalesce($14, nextval('intake_place_seq')), $15, $16, $17
        )
        ON CONFLICT (capture_id) DO UPDATE
        SET received_at = excluded.received_at, recorded_at = excluded.recorded_at,
            buried_at = coalesce(excluded.buried_at, intake.buried_at),
            claimed_at = coalesce(excluded.claimed_at, intake.claimed_at)
        WHERE intake.closed_at IS NULL
        """)

    /// It includes rows that lie in the future because the server's clock was set back since, as settling does: at age
    /// zero all of them, and else those that lie ahead by more than the second that clocks are corrected by.
    static let openIntake = PostgresStatement(
        "intake_open",
        """
        SELECT place, capture_id, device_id, buried_at IS NOT NULL AS is_dead
        FROM intake
        WHERE closed_at IS NULL AND place > $1
            AND ($2::bigint = 0 OR recorded_at <= clock_timestamp() - $2::bigint * interval '1 microsecond'
                OR recorded_at > clock_timestamp() + interval '1 second')
        ORDER BY place
        LIMIT $3
        """)

    static let newestIntake = PostgresStatement(
        "intake_newest", "SELECT place FROM intake WHERE closed_at IS NULL ORDER BY place DESC LIMIT 1")

    /// Locks open rows in the order of their ids, as `intake_close` does it, and tells which.
    ///
    /// An updating statement would lock them in the order in which it meets them, which for a small table is that of
    /// their places in it.
    static let holdIntake = PostgresStatement(
        "intake_hold",
        """
        SELECT capture_id FROM intake
        WHERE capture_id = ANY ($1::uuid[]) AND coalesce(closed_at, 'infinity') = 'infinity'
        ORDER BY capture_id
        FOR NO KEY UPDATE
        """)

    /// The same for those rows that nobody has locked: it waits for none.
    static let holdFreeIntake = PostgresStatement(
        "intake_hold_free",
        """
        SELECT capture_id FROM intake
        WHERE capture_id = ANY ($1::uuid[]) AND coalesce(closed_at, 'infinity') = 'infinity'
        FOR NO KEY UPDATE SKIP LOCKED
        """)

    /// It closes rows whose captures have results: an operator's discard failed because the capture had been redriven
    /// meanwhile, and reinstated such a row while the result was written.
    static let claimIntake = PostgresStatement(
        "intake_claim",
        joining: """
            WITH settled AS (
                SELECT id FROM captures WHERE id = ANY ($1::uuid[])
            ), closed AS (
                UPDATE intake SET closed_at = clock_timestamp(), assertion = '', metadata = ''
                WHERE capture_id = ANY ($1::uuid[]) AND coalesce(closed_at, 'infinity') = 'infinity'
                    AND capture_id IN (SELECT id FROM settled)
            ), claimed AS (
                UPDATE intake SET claimed_at = clock_timestamp()
                WHERE capture_id = ANY ($1::uuid[]) AND coalesce(closed_at, 'infinity') = 'infinity'
                    AND capture_id NOT IN (SELECT id FROM settled)
                RETURNING *)
            SELECT
            """,
        entryColumns, "FROM claimed", "ORDER BY place")

    static let intakeEntries = PostgresStatement(
        "intake_entries",
        joining: "SELECT", entryColumns,
        """
        FROM intake
        WHERE capture_id = ANY ($1::uuid[]) AND coalesce(closed_at, 'infinity') = 'infinity'
        ORDER BY place
        """)

    static let acceptedIntake = PostgresStatement(
        "intake_accepted",
        "SELECT capture_id, device_id, received_at, closed_at IS NULL AS is_open FROM intake WHERE capture_id = ANY ($1::uuid[])"
    )

    /// It leaves out rows that somebody has locked: the next full look notes them.
    static let noteDeadIntake = PostgresStatement(
        "intake_note_dead",
        """
        UPDATE intake SET buried_at = clock_timestamp()
        WHERE capture_id = ANY (ARRAY(
            SELECT capture_id FROM intake
            WHERE capture_id = ANY ($1::uuid[]) AND coalesce(closed_at, 'infinity') = 'infinity' AND buried_at IS NULL
            FOR NO KEY UPDATE SKIP LOCKED))
        """)

    // Statements that delete or claim due rows use `statement_timestamp()` and not `clock_timestamp()`: only a time
    // that stays constant can be looked up in an index, which would otherwise be read from one end to the other. What is
    // due is found first: joined with the table, it could be found once more for each row of it.

    static let purgeIntake = PostgresStatement(
        "intake_purge",
        """
        DELETE FROM intake WHERE capture_id = ANY (ARRAY(
            SELECT capture_id FROM intake
            WHERE closed_at < statement_timestamp() - $1::bigint * interval '1 microsecond'
            ORDER BY closed_at
            LIMIT $2
            FOR UPDATE SKIP LOCKED))
        """)

    static let lockIntake = PostgresStatement("intake_lock", "SELECT pg_try_advisory_lock($1::bigint) AS is_mine")
    static let unlockIntake = PostgresStatement("intake_unlock", "SELECT pg_advisory_unlock($1::bigint) AS was_mine")
}
