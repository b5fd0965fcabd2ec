import PostgresClient

extension Statements {
    // MARK: What becomes of devices

    /// The statements of the registry.
    static let registry = [
        lockKeyOfDevice, compromise, compromiseOf, keyTally, affectedCount, affected, reattested, insertAttestation,
        replaceRoot, replaceReceipt, attestations,
    ]

    /// Takes the lock that puts a key's registrations, attestations and captures one after the other.
    ///
    /// It is a statement of its own: the next one sees what the lock's previous holder has committed.
    static let lockKeyOfDevice = PostgresStatement(
        "device_lock_key_of",
        """
        SELECT key_id FROM counters WHERE key_id = (SELECT key_id FROM devices WHERE id = $1) FOR NO KEY UPDATE
        """)

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

    static let compromiseOf = PostgresStatement(
        "device_compromise_of",
        """
        SELECT compromised_since, compromised_reason, compromised_by
        FROM devices WHERE id = $1 AND compromised_since IS NOT NULL
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

    /// Reads the device under its key's lock, with the facts of its latest attestation.
    ///
    /// The system's version is the latest that any attestation names, as rollouts judge by it.
    static let reattested = PostgresStatement(
        "device_reattested",
        """
        SELECT known.key_id, known.level, known.app_id, known.environment, known.trust_root, known.revoked_at,
            coalesce(latest.attested_at, known.registered_at) AS attested_at,
            coalesce(latest.model, known.model) AS model, known.latest_os_version AS os_version,
            CASE WHEN latest.id IS NULL THEN devices.bundle_version ELSE latest.bundle_version END AS bundle_version,
            CASE WHEN latest.id IS NULL THEN devices.validation_category ELSE latest.validation_category END
                AS validation_category
        FROM known_devices_v1 AS known JOIN devices ON devices.id = known.id
        LEFT JOIN LATERAL (
            SELECT * FROM attestations WHERE device_id = known.id ORDER BY id DESC LIMIT 1
        ) AS latest ON true
        WHERE known.id = $1
        """)

    static let insertAttestation = PostgresStatement(
        "attestation_insert",
        """
        INSERT INTO attestations (
            device_id, attested_at, attestation_object, client_data_hash, certificate_chain, receipt, trust_root, model,
            os_version, validation_category, bundle_version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        """)

    /// Replaces the device's root; the registration's own stays in the audit, and with each result settled under it.
    static let replaceRoot = PostgresStatement(
        "device_replace_root", "UPDATE devices SET trust_root = $2 WHERE id = $1")

    /// Replaces the receipt; a claim on the old one is lost.
    ///
    /// A gateway's clock that is ahead does not delay the new receipt.
    static let replaceReceipt = PostgresStatement(
        "receipt_replace",
        """
        INSERT INTO receipts (device_id, receipt, client_data_hash, received_at, outcome, next_at)
        VALUES ($1, $2, $3, $4, 'waiting', least($4::timestamptz, statement_timestamp()))
        ON CONFLICT (device_id) DO UPDATE SET
            receipt = excluded.receipt, client_data_hash = excluded.client_data_hash,
            received_at = excluded.received_at, outcome = excluded.outcome, reason = NULL, attempts = 0,
            not_before = NULL, next_at = excluded.next_at, claim = NULL
        """)

    /// Reads the registration's attestation and the latest since.
    static let attestations = PostgresStatement(
        "device_attestations",
        """
        SELECT registered_at AS attested_at, model, os_version, bundle_version, validation_category, 0::bigint AS place
        FROM devices WHERE id = $1 AND level = 'secure_enclave'
        UNION ALL (
            SELECT attested_at, model, os_version, bundle_version, validation_category, id
            FROM attestations WHERE device_id = $1 ORDER BY id DESC LIMIT $2
        )
        ORDER BY place
        """)
}
