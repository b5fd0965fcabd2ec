import PostgresClient

extension Statements {
    // MARK: The audit as a log

    // The entries before `$1`, from `$2` on, that pass a filter: `$3` at the most, among the next `$4`. `$5` is the
    // beginning of the action's name, `$6` the actions that are left out, `$7` a part of the actor's name, and `$8` and
    // `$9` are the times between which they were noted. No index serves these, so the inner part ends the reading,
    // however long the audit is.

    static let auditLog = PostgresStatement(
        "audit_log", joining: logHead, "    WHERE id < $1::bigint AND id >= $2::bigint", logTail)

    /// `$10` is the subject.
    static let auditLogOfSubject = PostgresStatement(
        "audit_log_of_subject",
        joining: logHead, "    WHERE subject = $10::text AND id < $1::bigint AND id >= $2::bigint", logTail)

    private static let logHead: StaticString = """
        SELECT id, at, actor, action, subject, details
        FROM (
            SELECT id, at, actor, action, subject, details FROM audit
        """

    private static let logTail: StaticString = """
            ORDER BY id DESC
            LIMIT $4::bigint
        ) AS looked
        WHERE starts_with(action, $5::text) AND action <> ALL ($6::text[])
            AND strpos(lower(actor), lower($7::text)) > 0 AND at >= $8::timestamptz AND at < $9::timestamptz
        ORDER BY id DESC
        LIMIT $3::bigint
        """

    /// The last of the `$3` entries before `$1`, from `$2` on; none if there are fewer.
    static let auditPlace = PostgresStatement(
        "audit_place",
        """
        SELECT id, at FROM audit
        WHERE id < $1::bigint AND id >= $2::bigint
        ORDER BY id DESC
        OFFSET $3::bigint - 1 LIMIT 1
        """)

    /// `$4` is the subject.
    static let auditPlaceOfSubject = PostgresStatement(
        "audit_place_of_subject",
        """
        SELECT id, at FROM audit
        WHERE subject = $4::text AND id < $1::bigint AND id >= $2::bigint
        ORDER BY id DESC
        OFFSET $3::bigint - 1 LIMIT 1
        """)

    /// Where the entries since `$1` begin.
    ///
    /// No index has the times, which follow the order of the ids: each step halves what is left between two ids, so
    /// that a few dozen entries are read, however long the audit is. Where clocks disagree, it may be any place at
    /// which an earlier time meets a later one.
    ///
    /// It looks at the ids that pages show. With another one, which no program gives, a sum could overflow.
    static let auditMoment = PostgresStatement(
        "audit_moment",
        """
        WITH RECURSIVE span AS (
            SELECT coalesce((SELECT id FROM audit WHERE id >= 0 ORDER BY id LIMIT 1), 0) AS low,
                coalesce((
                    SELECT id FROM audit WHERE id < 9223372036854775807 ORDER BY id DESC LIMIT 1
                ), -1) + 1 AS high
            UNION ALL
            SELECT CASE WHEN looked.at < $1::timestamptz THEN looked.id + 1 ELSE span.low END,
                CASE WHEN looked.at < $1::timestamptz THEN span.high ELSE span.low + (span.high - span.low) / 2 END
            FROM span
            CROSS JOIN LATERAL (
                SELECT id, at FROM audit
                WHERE id >= span.low + (span.high - span.low) / 2
                ORDER BY id
                LIMIT 1
            ) AS looked
            WHERE span.low < span.high
        )
        SELECT low AS id FROM span WHERE low >= high
        """)
}
