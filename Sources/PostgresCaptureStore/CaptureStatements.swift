import PostgresClient

extension Statements {
    /// Settles a batch; ``SettleParameters`` has its parameters, numbered as here.
    static let settle = PostgresStatement(
        "capture_settle",
        """
        SELECT verdict, reason, settled_before
        FROM capture_settle_v1(
            policy_text => $1,
            back => $2,
            version_text => $3,
            id_of => $4,
            device_of => $5,
            known_of => $6,
            counter_of => $7,
            rejection_of => $8,
            confidence_of => $9,
            checks => $10,
            checks_at => $11,
            binding_of => $12,
            photo_digest_of => $13,
            depth_digest_of => $14,
            metadata_digest_of => $15,
            client_data_hash_of => $16,
            photo_bytes_of => $17,
            depth_bytes_of => $18,
            assertion_of => $19,
            metadata_of => $20,
            attempts_of => $21,
            redriven_of => $22,
            captured_of => $23,
            received_of => $24,
            verified_of => $25)
        """)

    /// Finds the verified capture of each replay's key and counter, by the index that has one of each.
    ///
    /// Only a capture whose signature was good is rejected as a replay. With a limit each row is looked up by its id:
    /// else the index by reason may seem the smaller one, which is read through all replays there are.
    static let counterConflicts = PostgresStatement(
        "capture_counter_conflicts",
        """
        SELECT replay.id, verified.id AS verified_id
        FROM unnest($1::uuid[]) AS asked (id)
        CROSS JOIN LATERAL (
            SELECT captures.id, key_id, counter, reason, level, client_data_hash FROM captures
            WHERE captures.id = asked.id
            LIMIT 1
        ) AS replay
        CROSS JOIN LATERAL (
            SELECT captures.id, captures.client_data_hash FROM captures
            WHERE captures.key_id = replay.key_id AND captures.counter = replay.counter
                AND captures.verdict = 'verified'
            LIMIT 1
        ) AS verified
        WHERE replay.reason = 'COUNTER_REPLAY' AND replay.level = 'secure_enclave'
            AND replay.client_data_hash <> verified.client_data_hash
        """)

    /// Reads one result, as dashboards and phones ask again and again.
    ///
    /// For one id the server keeps its plan; for a list it plans each time, which costs several times the reading.
    static let result = PostgresStatement("capture_result", joining: provenance, "WHERE captures.id = $1")

    static let results = PostgresStatement(
        "capture_results", joining: provenance, "WHERE captures.id = ANY ($1::uuid[])")

    /// Tells which of some captures have results.
    static let settledAmong = PostgresStatement(
        "capture_settled_among", "SELECT id FROM captures WHERE id = ANY ($1::uuid[])")

    /// Reads, beside the result, the device's risk and compromise.
    private static let provenance: StaticString = """
        SELECT captures.id, captures.device_id, captures.key_id, captures.level, captures.environment, captures.app_id,
            captures.trust_root, counter, counter_policy, binding, photo_digest, depth_digest, metadata_digest,
            captures.client_data_hash, checks, verdict, reason, confidence, attempts, redriven, captured_at, received_at,
            verified_at, settled_at, processor_version, risk.metric AS risk_metric, risk.metric_at AS risk_metric_at,
            CASE WHEN received_at >= compromised_since THEN compromised_since END AS compromised_since
        FROM captures
        LEFT JOIN devices ON devices.id = captures.device_id
        LEFT JOIN LATERAL (
            SELECT metric, metric_at FROM risks
            WHERE risks.device_id = captures.device_id AND noted_at <= captures.settled_at
            ORDER BY noted_at DESC
            LIMIT 1
        ) AS risk ON true
        """

    static let uploaded = PostgresStatement(
        "capture_uploaded", "SELECT assertion, metadata FROM captures WHERE id = $1")

    /// Reads the latest attestation kept before a result under the result's root; the registration's own is not among these.
    ///
    /// In the order of the device's own attestations, as `known_devices_v1` has it, whoever has many.
    static let laterAttestation = PostgresStatement(
        "capture_later_attestation",
        """
        SELECT later.attested_at, later.attestation_object, later.client_data_hash
        FROM captures
        CROSS JOIN LATERAL (
            SELECT attested_at, attestation_object, attestations.client_data_hash FROM attestations
            WHERE attestations.device_id BETWEEN captures.device_id AND captures.device_id
                AND attestations.trust_root = captures.trust_root AND kept_at <= captures.settled_at
            ORDER BY attestations.device_id DESC, attestations.id DESC
            LIMIT 1
        ) AS later
        WHERE captures.id = $1
        """)

    static let advanceRequestCounter = PostgresStatement(
        "counter_advance_request",
        """
        UPDATE counters SET request_highest = $2, last_seen = greatest(last_seen, clock_timestamp())
        WHERE key_id = $1 AND request_highest < $2
        """)

    static let noteRequest = PostgresStatement(
        "counter_note_request",
        """
        UPDATE counters SET last_seen = clock_timestamp()
        WHERE key_id = $1 AND last_seen < clock_timestamp() - interval '1 minute'
        """)
}
