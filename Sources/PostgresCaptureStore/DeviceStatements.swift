import PostgresClient

extension Statements {
    static let ensureCounters = PostgresStatement(
        "counter_ensure", "INSERT INTO counters (key_id, last_seen) VALUES ($1, $2) ON CONFLICT (key_id) DO NOTHING")

    static let lockKey = PostgresStatement(
        "device_lock_key",
        """
        SELECT key_id FROM counters WHERE key_id = $1 FOR NO KEY UPDATE
        """)

    static let keyHolder = PostgresStatement(
        "device_key_holder",
        """
        SELECT id, level, unverified_reason, revoked_at IS NOT NULL AS is_revoked,
            compromised_since IS NOT NULL AS is_compromised
        FROM devices WHERE key_id = $1 AND superseded_by IS NULL
        """)

    /// Supersedes a device, by the record's clock after the wait for the key's lock.
    ///
    /// So captures that were accepted until then were received before. Under the lock nothing raises the key's counter.
    static let supersede = PostgresStatement(
        "device_supersede",
        """
        UPDATE devices SET superseded_by = $2, superseded_at = clock_timestamp(), superseded_highest = (
            SELECT capture_highest FROM counters WHERE counters.key_id = devices.key_id
        )
        WHERE id = $1
        RETURNING superseded_at
        """)

    static let reinstate = PostgresStatement(
        "device_reinstate",
        "UPDATE devices SET superseded_by = NULL, superseded_at = NULL, superseded_highest = NULL WHERE id = $1")

    /// Inserts a device, or nothing when a committed transaction has taken the id.
    ///
    /// The key's lock keeps a conflict on the other index, that of the key, from happening.
    static let insertDevice = PostgresStatement(
        "device_insert",
        """
        INSERT INTO devices (
            id, key_id, algorithm, public_key, level, environment, app_id, trust_root, unverified_reason, platform,
            model, has_lidar, registered_at, attestation_object, client_data_hash, certificate_chain, receipt,
            os_version, validation_category, bundle_version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
        ON CONFLICT (id) DO NOTHING
        """)

    static let insertDeviceCheck = PostgresStatement(
        "device_check_insert",
        """
        INSERT INTO device_checks (device_id, standing, bit0, bit1, last_update, reason, checked_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """)

    static let deviceOfKey = PostgresStatement(
        "device_of_key",
        """
        SELECT known.* FROM devices JOIN known_devices_v1 AS known ON known.id = devices.id
        WHERE devices.key_id = $1 AND devices.superseded_by IS NULL
        """)

    /// Reads a device by one id.
    ///
    /// For one id the server keeps its plan; for a list it plans each time, which costs more than all the rest.
    static let device = PostgresStatement(
        "device_read_one", joining: deviceForDecision, "WHERE known.id = $1")

    static let devices = PostgresStatement(
        "device_read", joining: deviceForDecision, "WHERE known.id = ANY ($1::uuid[])")

    /// Reads, beside the device, whether Apple may still report the risk, and what every attestation names of the app.
    private static let deviceForDecision: StaticString = """
        SELECT known.*, attested.*, EXISTS (
                SELECT FROM receipts WHERE device_id = known.id AND outcome <> 'ended'
            ) AS is_risk_awaited
        FROM known_devices_v1 AS known
        CROSS JOIN LATERAL attested_apps_v1(known.id) AS attested
        """

    static let deviceRecord = PostgresStatement(
        "device_record",
        """
        SELECT known.*, attested.*, revoked_reason, revoked_by, superseded_by, attestation_object, client_data_hash,
            certificate_chain, receipt, os_version, validation_category, bundle_version, capture_highest,
            request_highest, last_seen, standing, bit0, bit1, last_update, device_checks.reason AS check_reason,
            checked_at, compromised_since, compromised_reason, compromised_by
        FROM known_devices_v1 AS known JOIN devices ON devices.id = known.id
            JOIN counters ON counters.key_id = known.key_id
            LEFT JOIN device_checks ON device_checks.device_id = known.id
        CROSS JOIN LATERAL attested_apps_v1(known.id) AS attested
        WHERE known.id = $1
        """)

    static let revoke = PostgresStatement(
        "device_revoke",
        """
        -- Whoever revokes may have a clock that is ahead; of now and no moment at all, it is now.
        WITH target AS (
            SELECT id, least($2::timestamptz, clock_timestamp()) AS since FROM devices WHERE id = $1
        ), changed AS (
            UPDATE devices SET revoked_at = since, revoked_reason = $3, revoked_by = $4
            FROM target
            WHERE devices.id = target.id AND (revoked_at IS NULL OR revoked_at > since)
        ), noted AS (
            INSERT INTO audit (at, actor, action, subject, details)
            -- Who acts says from when on, and never when it was done.
            SELECT clock_timestamp(), $4, 'device.revoke', id::text, jsonb_build_object(
                'reason', $3::text, 'since', to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
            FROM target
        )
        SELECT count(*) AS devices FROM target
        """)

    // A page has a statement of its own where it begins behind a device: the generic plan of one for both, with an OR,
    // would read all devices before the page.

    /// Lists the newest devices, `$1` at the most.
    static let listDevices = PostgresStatement("device_list", joining: devicesHead, devicesTail)

    /// Lists the devices that come after `$2`, `$1` at the most; none if that is not registered.
    static let listDevicesAfter = PostgresStatement(
        "device_list_after", joining: devicesHead,
        """
        WHERE (registered_at, id) < (SELECT before.registered_at, before.id FROM devices AS before WHERE before.id = $2)
        """, devicesTail)

    private static let devicesHead: StaticString = """
        SELECT known.*, (SELECT compromised_since FROM devices WHERE devices.id = known.id) AS compromised_since
        FROM known_devices_v1 AS known
        """

    private static let devicesTail: StaticString = """
        ORDER BY registered_at DESC, id DESC
        LIMIT $1
        """
}
