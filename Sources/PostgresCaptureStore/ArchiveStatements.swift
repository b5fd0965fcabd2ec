import PostgresClient

extension Statements {
    // MARK: Archive

    /// The statements of the archive: each filter has its own, so that each has one good plan.
    static let archive = [
        listByConfidence, listByReason, listOfDevice, listOfDeviceByReason, listOpen, listOpenOfDevice,
        capturesOfDigest, captureAssertion, deviceTally, idsBeginning,
    ]

    // In each of these, `$1` holds the wanted values, ($2, $3) is the place before which the page begins, $4 the
    // earliest time of receipt and $5 the most rows. The inner part reads at most $5 entries of one index for each
    // wanted value.

    static let listByConfidence = PostgresStatement(
        "archive_by_confidence",
        joining: pageHead,
        "    FROM unnest($1::text[]) AS wanted (confidence)", eachWanted,
        "        WHERE captures.confidence = wanted.confidence", pageTail)

    static let listByReason = PostgresStatement(
        "archive_by_reason",
        joining: pageHead,
        "    FROM unnest($1::text[]) AS wanted (reason)", eachWanted,
        "        WHERE captures.reason = wanted.reason", pageTail)

    /// `$6` is the device.
    static let listOfDevice = PostgresStatement(
        "archive_of_device",
        joining: pageHead,
        "    FROM unnest($1::text[]) AS wanted (confidence)", eachWanted,
        "        WHERE captures.device_id = $6::uuid AND captures.confidence = wanted.confidence", pageTail)

    /// `$6` is the device.
    static let listOfDeviceByReason = PostgresStatement(
        "archive_of_device_by_reason",
        joining: pageHead,
        "    FROM unnest($1::text[]) AS wanted (reason)", eachWanted,
        "        WHERE captures.device_id = $6::uuid AND captures.reason = wanted.reason", pageTail)

    private static let pageHead: StaticString = """
        SELECT id, device_id, received_at, verdict, reason, confidence, counter, counter_highest, attempts, redriven,
            verified_at, CASE WHEN received_at >= compromised_since THEN compromised_since END AS compromised_since
        FROM (
            SELECT found.*
        """

    private static let eachWanted: StaticString = """
            CROSS JOIN LATERAL (
                SELECT * FROM captures
        """

    private static let pageTail: StaticString = """
                    AND (received_at, id) < ($2::timestamptz, $3::uuid) AND received_at >= $4::timestamptz
                ORDER BY received_at DESC, id DESC
                LIMIT $5::bigint
            ) AS found
            ORDER BY received_at DESC, id DESC
            LIMIT $5::bigint
        ) AS page
        LEFT JOIN LATERAL (
            SELECT compromised_since FROM devices WHERE devices.id = page.device_id LIMIT 1
        ) AS holder ON true
        ORDER BY received_at DESC, id DESC
        """

    static let listOpen = PostgresStatement(
        "archive_open",
        """
        SELECT capture_id AS id, device_id, received_at
        FROM intake
        WHERE closed_at IS NULL AND (received_at, capture_id) < ($1::timestamptz, $2::uuid)
            AND received_at >= $3::timestamptz
        ORDER BY received_at DESC, capture_id DESC
        LIMIT $4::bigint
        """)

    static let listOpenOfDevice = PostgresStatement(
        "archive_open_of_device",
        """
        SELECT capture_id AS id, device_id, received_at
        FROM intake
        WHERE closed_at IS NULL AND device_id = $5::uuid
            AND (received_at, capture_id) < ($1::timestamptz, $2::uuid) AND received_at >= $3::timestamptz
        ORDER BY received_at DESC, capture_id DESC
        LIMIT $4::bigint
        """)

    /// The first captures with the digest, whatever their outcome.
    ///
    /// A photo that is uploaded again and again does not hide earlier captures. It may hide later ones: no index
    /// separates a photo's verified captures, and a search for these would read all the others.
    static let capturesOfDigest = PostgresStatement(
        "archive_of_digest",
        """
        SELECT id
        FROM (
            (
                SELECT id, received_at FROM captures WHERE photo_digest = $1::bytea
                ORDER BY received_at, id
                LIMIT 100
            )
            UNION
            SELECT capture_id, received_at FROM intake WHERE bundle_digest = $1::bytea
        ) AS found
        ORDER BY received_at, id
        LIMIT 100
        """)

    /// `$2` is the device.
    static let captureAssertion = PostgresStatement(
        "archive_assertion",
        """
        SELECT assertion FROM captures WHERE id = $1::uuid AND device_id = $2::uuid
        UNION ALL
        SELECT assertion FROM intake
        WHERE capture_id = $1::uuid AND device_id = $2::uuid AND coalesce(closed_at, 'infinity') = 'infinity'
        LIMIT 1
        """)

    /// `$3` limits each count.
    ///
    /// The confidence of rejected captures is no constant here: where few are rejected, a sample of the table has none,
    /// PostgreSQL takes that for no rows, and may read those of all devices.
    static let deviceTally = PostgresStatement(
        "archive_device_tally",
        """
        SELECT wanted.confidence AS kind, (
            SELECT count(*) FROM (
                SELECT FROM captures
                WHERE device_id = $1::uuid AND captures.confidence = wanted.confidence
                    AND received_at >= $2::timestamptz
                LIMIT $3::bigint
            ) AS few
        ) AS captures
        FROM unnest(ARRAY['none', 'low', 'medium', 'high']) AS wanted (confidence)
        UNION ALL
        SELECT reason, count(*) FROM unnest(ARRAY['none']) AS wanted (confidence) CROSS JOIN LATERAL (
            SELECT reason FROM captures
            WHERE device_id = $1::uuid AND captures.confidence = wanted.confidence
                AND received_at >= $2::timestamptz
            ORDER BY received_at DESC, id DESC
            LIMIT $3::bigint
        ) AS rejected
        GROUP BY reason
        UNION ALL
        SELECT 'open', count(*) FROM (
            SELECT FROM intake
            WHERE device_id = $1::uuid AND closed_at IS NULL AND received_at >= $2::timestamptz
            LIMIT $3::bigint
        ) AS waiting
        """)

    /// The ids between `$1` and `$2`, `$3` of devices at the most, and up to twice as many of captures.
    ///
    /// A capture may have its row of the ledger and its result.
    static let idsBeginning = PostgresStatement(
        "archive_ids_beginning",
        """
        SELECT id, is_device
        FROM (
            (
                SELECT id, false AS is_device FROM captures
                WHERE id BETWEEN $1::uuid AND $2::uuid
                ORDER BY id
                LIMIT $3::bigint
            )
            UNION
            (
                SELECT capture_id, false FROM intake
                WHERE capture_id BETWEEN $1::uuid AND $2::uuid
                ORDER BY capture_id
                LIMIT $3::bigint
            )
            UNION ALL
            (
                SELECT id, true FROM devices
                WHERE id BETWEEN $1::uuid AND $2::uuid
                ORDER BY id
                LIMIT $3::bigint
            )
        ) AS found
        ORDER BY is_device, id
        """)
}
