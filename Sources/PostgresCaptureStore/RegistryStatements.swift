import PostgresClient

extension Statements {
    // MARK: What becomes of devices

    /// The statements of the registry.
    static let registry = [
        lockKeyOfDevice, compromise, keyTally, affectedCount, affected, reattested, insertAttestation, replaceRoot,
        replaceReceipt, attestations, devicesEndingAhead,
    ]

    /// Takes the lock that puts a key's registrations, attestations and captures one after the other.
    ///
    /// It is a statement of its own: the next one sees what the lock's previous holder has committed.
    static let lockKeyOfDevice = PostgresStatement(
        "device_lock_key_of",
        """
        SELECT key_id FROM counters WHERE key_id = (SELECT key_id FROM devices WHERE id = $1) FOR NO KEY UPDATE
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

    /// Keeps an attestation, as of now by the record's clock: a trigger sees to it.
    ///
    /// By this time it is found for the results that rest on it, whatever the gateway's clock says.
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

    /// Finds registrations whose end lies ahead of the server's clock.
    ///
    /// By more than a second, as settling has it: one that ends while this begins is not meant.
    static let devicesEndingAhead = PostgresStatement(
        "device_ending_ahead",
        """
        SELECT id FROM devices
        WHERE least(revoked_at, superseded_at) > statement_timestamp() + interval '1 second'
        ORDER BY least(revoked_at, superseded_at) DESC
        LIMIT $1
        """)
}
