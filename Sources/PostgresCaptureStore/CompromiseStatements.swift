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

    /// Lists the affected results in the order of their receipt.
    ///
    /// An index of each registration has that order, so no page reads what the key signed before, or what earlier pages
    /// have shown. By the index of the key's counters, the first page would read all that the key signed before.
    ///
    /// `$2` is the counter of the last result of the page before, which is row 0 here and left out. On the first page,
    /// row 0 stands for the microsecond before the compromise, and so it does where the given result is of before. If
    /// the key is not compromised, that moment is null: it is sorted first, and nothing comes after it.
    ///
    /// Each step looks for one result, which PostgreSQL always does in the order of the index. If it were to look for a
    /// whole page, it might read and sort all that follow, as it does not know that this device has so many.
    /// The device is one of an array and in the order, so that only its own index will do: in that of all results, whoever
    /// has few of them would be looked for among those of the others.
    static let affected = PostgresStatement(
        "device_affected",
        """
        WITH RECURSIVE asked AS (
            SELECT key_id, compromised_since FROM devices WHERE devices.id = $1
        ), page AS (
            (
                SELECT 0::bigint AS number, id, 0::bigint AS counter, received_at
                FROM (
                    (
                        SELECT id, received_at FROM captures
                        WHERE key_id = (SELECT key_id FROM asked) AND verdict = 'verified' AND counter <= $2::bigint
                        ORDER BY counter DESC
                        LIMIT 1
                    )
                    UNION ALL
                    SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff', compromised_since - interval '1 microsecond' FROM asked
                ) AS place
                ORDER BY received_at DESC, id DESC
                LIMIT 1
            )
            UNION ALL
            SELECT page.number + 1, following.id, following.counter, following.received_at
            FROM page CROSS JOIN LATERAL (
                SELECT each.id, each.counter, each.received_at
                FROM asked JOIN devices AS held ON held.key_id = asked.key_id
                CROSS JOIN unnest(ARRAY['low', 'medium', 'high']) AS wanted (confidence)
                CROSS JOIN LATERAL (
                    SELECT captures.id, captures.counter, captures.received_at FROM captures
                    WHERE captures.device_id = ANY (ARRAY[held.id]) AND captures.confidence = wanted.confidence
                        AND (captures.received_at, captures.id) > (page.received_at, page.id)
                    ORDER BY captures.device_id DESC, captures.received_at, captures.id
                    LIMIT 1
                ) AS each
                ORDER BY each.received_at, each.id
                LIMIT 1
            ) AS following
            WHERE page.number < $3::bigint
        )
        SELECT id, counter, received_at FROM page ORDER BY number OFFSET 1
        """)
}
