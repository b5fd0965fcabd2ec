package import CaptureStore
import PostgresClient

/// A right in the record that gateways, workers or operators' commands need, and that their user lacks.
///
/// The tables' owner has all of them. Another user, as after a restore by somebody else, has those that were granted.
package struct MissingRight: Sendable, Equatable, CustomStringConvertible {
    /// The right as `GRANT` names it.
    package let verb: String
    /// The table, view, sequence or function; a schema as `SCHEMA public`.
    package let part: String

    /// Whether what is there cannot even be read.
    package var isToRead: Bool { verb == "SELECT" || part.hasPrefix("SCHEMA ") }

    /// The right and what it is for, as in `GRANT`.
    package var description: String { "\(verb) on \(part)" }

    /// The statement that grants it.
    /// - Parameter grantee: Who gets it, as an identifier that is quoted where it has to be.
    func grantStatement(to grantee: String) -> String {
        let kind =
            switch verb {
            case "EXECUTE": "FUNCTION "
            case "USAGE" where !part.hasPrefix("SCHEMA "): "SEQUENCE "
            default: ""
            }
        return "GRANT \(verb) ON \(kind)\(part) TO \(grantee);"
    }

    /// The rights that a result of ``Statements/missingRights`` names.
    static func all(in result: PostgresResult) throws(PostgresError) -> [MissingRight] {
        var rights: [MissingRight] = []
        for row in result.rows { rights.append(MissingRight(verb: try row.text("verb"), part: try row.text("part"))) }
        return rights
    }
}

extension PostgresCaptureStore {
    /// The rights that this user lacks; of parts that the schema does not have none is missing.
    ///
    /// Without the right to use the schema none of them can be looked up: then that right alone is named.
    package func missingRights() async throws(StoreError) -> [MissingRight] {
        try await asStoreError { () throws(PostgresError) in
            try await MissingRight.all(in: client.execute(Statements.missingRights, [.null]))
        }
    }
}

extension Statements {
    /// Functions run with the rights of their caller, so those of their statements are among them.
    ///
    /// PostgreSQL passes over a schema of the search path that the user may not use, as if it were not there.
    ///
    /// A migration's rights are not: it makes and drops tables, which only their owner may.
    ///
    /// The one list of the rights: what is missing is what ``Migrator/grant(to:)`` grants. Whoever adds a table, view,
    /// sequence or function that statements use adds it here; `$1` is the role, or NULL for the session's own.
    static let missingRights = PostgresStatement(
        "missing_rights",
        """
        WITH needed (part, verbs) AS (VALUES
            ('attestations', '{SELECT,INSERT}'::text[]),
            ('attested_apps', '{SELECT,INSERT}'),
            ('audit', '{SELECT,INSERT}'),
            ('captures', '{SELECT,INSERT}'),
            ('counters', '{SELECT,INSERT,UPDATE}'),
            ('device_checks', '{SELECT,INSERT}'),
            ('devices', '{SELECT,INSERT,UPDATE}'),
            ('enrolments', '{SELECT,INSERT,UPDATE,DELETE}'),
            ('installation', '{SELECT}'),
            ('intake', '{SELECT,INSERT,UPDATE,DELETE}'),
            ('invitations', '{SELECT,INSERT,UPDATE,DELETE}'),
            ('known_devices_v1', '{SELECT}'),
            ('receipts', '{SELECT,INSERT,UPDATE}'),
            ('risks', '{SELECT,INSERT}'),
            ('schema_migrations', '{SELECT}'),
            ('transaction_keys', '{SELECT,INSERT,UPDATE}')),
        grantee (role) AS (SELECT coalesce($1::text::name, current_user))
        SELECT verb, part FROM grantee, needed CROSS JOIN LATERAL unnest(verbs) AS verb
        WHERE NOT has_table_privilege(role, to_regclass(part), verb)
        UNION ALL SELECT 'USAGE', 'intake_place_seq' FROM grantee
        WHERE NOT has_sequence_privilege(role, to_regclass('intake_place_seq'), 'USAGE')
        UNION ALL SELECT 'EXECUTE', part
        FROM grantee, unnest('{assertion_counter,attested_apps_v1,capture_intake_v1,capture_settle_v1}'::text[]) AS part
        WHERE NOT has_function_privilege(role, to_regproc(part), 'EXECUTE')
        UNION ALL SELECT 'USAGE', 'SCHEMA ' || quote_ident(nspname)
        FROM grantee, pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE relname = 'schema_migrations' AND NOT has_schema_privilege(role, pg_namespace.oid, 'USAGE')
            AND coalesce(
                pg_class.oid = to_regclass('schema_migrations'),
                nspname = ANY (regexp_split_to_array(replace(current_setting('search_path'), '"', ''), ', *')))
        ORDER BY part, verb
        """)
}
