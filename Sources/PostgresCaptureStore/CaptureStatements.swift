import PostgresClient

extension Statements {
    static let settle = PostgresStatement(
        "capture_settle",
        """
        SELECT verdict, reason, settled_before
        FROM capture_settle_v2(
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
            $24)
        """)

    static let results = PostgresStatement(
        "capture_results",
        """
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
        WHERE captures.id = ANY ($1::uuid[])
        """)

    static let uploaded = PostgresStatement(
        "capture_uploaded", "SELECT assertion, metadata FROM captures WHERE id = $1")

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
