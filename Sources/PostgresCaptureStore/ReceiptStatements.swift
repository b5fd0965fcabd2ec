import PostgresClient

extension Statements {
    // MARK: Receipts

    /// Those of receipts.
    static let receipts = [insertReceipt, claimReceipt, settleReceipt, receiptStanding]

    /// With the registration: a receipt that was not good is kept, and never due.
    static let insertReceipt = PostgresStatement(
        "receipt_insert",
        """
        INSERT INTO receipts (device_id, receipt, client_data_hash, received_at, outcome, reason, next_at)
        VALUES (
            $1, $2, $3, $4, $5, $6,
            CASE WHEN $7::timestamptz IS NOT NULL THEN least($7::timestamptz, statement_timestamp()) END)
        """)

    /// The one that has been due for longest and that nobody is claiming at this moment; the claim moves its due time
    /// to the end of the lease, so that it comes back by itself when its holder is lost.
    ///
    /// `$3` are environments to pass over, looked up receipt by receipt: a join might read every device for one. Of
    /// those that are due the oldest thousand or so are looked at: behind more of a resting environment all others wait.
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

    /// `$9` is the newer receipt, or NULL for the one that is held to stay with everything that it said.
    ///
    /// It is due after `$11`, in microseconds of this server's clock, by which it is judged due, and not before `$7`;
    /// both are NULL for one that is never due.
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
            INSERT INTO risks (device_id, noted_at, metric, metric_at)
            SELECT device_id, clock_timestamp(), $10, $6 FROM settled WHERE $10::integer IS NOT NULL
        )
        SELECT count(*) AS settled FROM settled
        """)

    static let receiptStanding = PostgresStatement(
        "receipt_standing",
        "SELECT outcome, reason, attempts, received_at, asked_at, next_at FROM receipts WHERE device_id = $1")
}
