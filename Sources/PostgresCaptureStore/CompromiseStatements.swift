import PostgresClient

extension Statements {
    /// Marks every registration of the key; each keeps the earlier of two moments.
    ///
    /// A moment in the future counts as now, so a clock that is ahead delays neither mark nor revocation, as in
    /// ``revoke``. The audit has a row for each changed registration, and one for the named device whether it is
    /// changed or not.
    static let compromise = PostgresStatement(
        "device_compromise",
        """
        WITH target AS (
            SELECT key_id, least($2::timestamptz, clock_timestamp()) AS since FROM devices WHERE id = $1
        ), changed AS (
            UPDATE devices SET
                compromised_since = since, compromised_reason = $3, compromised_by = $4,
                revoked_at = least(revoked_at, since),
                revoked_reason = CASE WHEN revoked_at <= since THEN revoked_reason ELSE $3 END,
                revoked_by = CASE WHEN revoked_at <= since THEN revoked_by ELSE $4 END
            FROM target
            WHERE devices.key_id = target.key_id AND (compromised_since IS NULL OR compromised_since > since)
            RETURNING devices.id
        ), noted AS (
            INSERT INTO audit (at, actor, action, subject, details)
            SELECT clock_timestamp(), $4, 'device.compromise', concerned.id::text, jsonb_build_object(
                'reason', $3::text, 'since', to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
            FROM target, (SELECT id FROM changed UNION SELECT $1::uuid FROM target) AS concerned
        )
        SELECT count(*) AS devices FROM target
        """)

    /// Counts the captures of every registration of the key; `$3` limits each count.
    static let keyTally = PostgresStatement(
        "device_key_tally",
        """
        WITH held AS (
            SELECT held.id FROM devices AS asked JOIN devices AS held ON held.key_id = asked.key_id WHERE asked.id = $1
        )
        SELECT wanted.confidence AS kind, (
            SELECT count(*) FROM (
                SELECT FROM held CROSS JOIN LATERAL (
                    SELECT FROM captures
                    WHERE captures.device_id = held.id AND captures.confidence = wanted.confidence
                        AND received_at >= $2::timestamptz
                    LIMIT $3::bigint
                ) AS settled
                LIMIT $3::bigint
            ) AS few
        ) AS captures
        FROM unnest(ARRAY['none', 'low', 'medium', 'high']) AS wanted (confidence)
        UNION ALL
        SELECT 'open', count(*) FROM (
            SELECT FROM held CROSS JOIN LATERAL (
                SELECT FROM intake
                WHERE intake.device_id = held.id AND closed_at IS NULL AND received_at >= $2::timestamptz
                LIMIT $3::bigint
            ) AS open
            LIMIT $3::bigint
        ) AS waiting
        """)

    /// Counts the affected results of every registration of the key; `$2` limits the count.
    ///
    /// Verified results have one of three confidences.
    static let affectedCount = PostgresStatement(
        "device_affected_count",
        """
        SELECT count(*) AS results
        FROM (
            SELECT FROM devices AS asked JOIN devices AS held ON held.key_id = asked.key_id
            CROSS JOIN unnest(ARRAY['low', 'medium', 'high']) AS wanted (confidence)
            CROSS JOIN LATERAL (
                SELECT FROM captures
                WHERE captures.device_id = held.id AND captures.confidence = wanted.confidence
                    AND received_at >= held.compromised_since
                LIMIT $2::bigint
            ) AS marked
            WHERE asked.id = $1
            LIMIT $2::bigint
        ) AS few
        """)

    /// Reads the key by a subquery, so that the index of its counters returns them in order.
    ///
    /// The first page begins at the lowest affected counter, or it would read everything that the key signed before.
    /// The affected results are first counted by index: with more than 10,000, the search for the lowest would cost
    /// more than it saves.
    static let affected = PostgresStatement(
        "device_affected",
        """
        SELECT id, counter, received_at
        FROM captures
        WHERE key_id = (SELECT key_id FROM devices WHERE devices.id = $1) AND verdict = 'verified'
            AND received_at >= (SELECT compromised_since FROM devices WHERE devices.id = $1)
            AND counter > CASE
                WHEN $2::bigint > 0 OR (
                    SELECT count(*)
                    FROM (
                        SELECT FROM devices AS asked JOIN devices AS held ON held.key_id = asked.key_id
                        CROSS JOIN unnest(ARRAY['low', 'medium', 'high']) AS wanted (confidence)
                        CROSS JOIN LATERAL (
                            SELECT FROM captures
                            WHERE captures.device_id = held.id AND captures.confidence = wanted.confidence
                                AND captures.received_at >= asked.compromised_since
                            LIMIT 10001
                        ) AS marked
                        WHERE asked.id = $1
                        LIMIT 10001
                    ) AS few
                ) > 10000 THEN $2
                ELSE (
                    SELECT coalesce(min(marked.counter) - 1, 4294967295)
                    FROM devices AS asked JOIN devices AS held ON held.key_id = asked.key_id
                    CROSS JOIN unnest(ARRAY['low', 'medium', 'high']) AS wanted (confidence)
                    CROSS JOIN LATERAL (
                        SELECT captures.counter FROM captures
                        WHERE captures.device_id = held.id AND captures.confidence = wanted.confidence
                            AND captures.received_at >= asked.compromised_since
                        OFFSET 0
                    ) AS marked
                    WHERE asked.id = $1
                )
            END
        ORDER BY counter
        LIMIT $3
        """)
}
