import PostgresClient

extension Statements {
    // MARK: Receipts

    /// The statements of receipts.
    static let receipts = [insertReceipt, claimReceipt, settleReceipt, receiptStanding]

    /// Inserts a receipt with its registration; a bad receipt is kept, but never due.
    static let insertReceipt = PostgresStatement(
        "receipt_insert",
        """
        INSERT INTO receipts (device_id, receipt, client_data_hash, received_at, outcome, reason, next_at)
        VALUES (
            $1, $2, $3, $4, $5, $6,
            CASE WHEN $7::timestamptz IS NOT NULL THEN least($7::timestamptz, statement_timestamp()) END)
        """)

    /// Claims the receipt that has been due longest and that no other worker is claiming at this moment.
    ///
    /// The claim moves its due time to the end of the lease, so that it is due again by itself if its worker is lost.
    /// `$3` are environments to pass over, looked up receipt by receipt: a join might read every device for one. Only
    /// the oldest thousand or so of the due receipts are read: behind more of a resting environment all others wait.
    static let claimReceipt = PostgresStatement(
        "receipt_claim",
        """
        WITH due AS (
            SELECT device_id FROM receipts
            WHERE next_at <= least(statement_timestamp(), (
                    SELECT next_at FROM receipts WHERE next_at <= statement_timestamp()
                    ORDER BY next_at OFFSET 1000 LIMIT 1))
                AND coalesce((SELECT environment FROM devices WHERE devices.id = receipts.device_id), '') <> ALL ($3::text[])
            ORDER BY next_at
            LIMIT 1
            FOR UPDATE SKIP LOCKED
        ), claimed AS (
            UPDATE receipts
            SET claim = $1, next_at = clock_timestamp() + $2::bigint * interval '1 microsecond'
            FROM due
            WHERE receipts.device_id = due.device_id
            RETURNING receipts.*
        )
        SELECT known.*, claimed.client_data_hash, claimed.receipt AS held_receipt, claimed.received_at,
            claimed.not_before, claimed.attempts
        FROM claimed JOIN known_devices_v1 AS known ON known.id = claimed.device_id
        """)

    /// `$9` is the newer receipt; NULL keeps the held one with all its facts.
    ///
    /// The receipt is due after `$11`, in microseconds of this server's clock, which also decides when it is due, and
    /// not before `$7`; both are NULL for a receipt that is never due.
    ///
    /// A metric is noted beside the device's earlier ones if it is another than the latest, or a week younger: receipts
    /// come each day, for good, and mostly say the same.
    static let settleReceipt = PostgresStatement(
        "receipt_settle",
        """
        WITH settled AS (
            UPDATE receipts SET
                outcome = $3, reason = $4, attempts = $5, asked_at = $6, claim = NULL,
                next_at = greatest($7::timestamptz, clock_timestamp() + $11::bigint * interval '1 microsecond'),
                not_before = CASE WHEN $9::bytea IS NULL THEN not_before ELSE $8 END,
                receipt = coalesce($9, receipt),
                client_data_hash = CASE WHEN $9::bytea IS NULL THEN client_data_hash END,
                received_at = CASE WHEN $9::bytea IS NULL THEN received_at ELSE $6 END,
                risk_metric = coalesce($10, risk_metric),
                risk_metric_at = CASE WHEN $10::integer IS NULL THEN risk_metric_at ELSE $6 END
            WHERE device_id = $1 AND claim = $2
            RETURNING device_id
        ), noted AS (
            INSERT INTO risks (device_id, metric, metric_at)
            SELECT settled.device_id, $10, $6
            FROM settled LEFT JOIN LATERAL (
                SELECT metric, metric_at FROM risks
                WHERE risks.device_id = settled.device_id AND noted_at <= clock_timestamp()
                ORDER BY noted_at DESC
                LIMIT 1
            ) AS latest ON true
            WHERE $10::integer IS NOT NULL
                AND (latest.metric = $10 AND latest.metric_at BETWEEN $6 - interval '7 days' AND $6) IS NOT TRUE
        )
        SELECT count(*) AS settled FROM settled
        """)

    static let receiptStanding = PostgresStatement(
        "receipt_standing",
        "SELECT outcome, reason, attempts, received_at, asked_at, next_at FROM receipts WHERE device_id = $1")
}
