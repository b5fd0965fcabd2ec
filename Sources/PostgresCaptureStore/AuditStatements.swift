import PostgresClient

extension Statements {
    static let recordAudit = PostgresStatement(
        "audit_record",
        """
        INSERT INTO audit (at, actor, action, subject, details)
        SELECT entry.moment, entry.actor, entry.action, entry.subject, entry.details::jsonb
        FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[])
            WITH ORDINALITY AS entry (moment, actor, action, subject, details, place)
        ORDER BY place
        """)

    static let auditTrail = PostgresStatement(
        "audit_trail",
        "SELECT at, actor, action, subject, details FROM audit WHERE subject = $1 ORDER BY id DESC LIMIT $2")

    static let time = PostgresStatement("server_time", "SELECT clock_timestamp() AS now")
}
