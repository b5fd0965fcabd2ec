import PostgresClient

extension Statements {
    // MARK: Migrations

    /// The statements of migrations.
    static let migrations = [
        serverEncoding, lockTimeout, setLockTimeout, lockMigrations, createMigrations, hasMigrations, keepToSchema,
        schemas, appliedMigrations, noteMigration, forgetMigration, schemaParts, countResults, countOpenRows,
    ]

    static let serverEncoding = PostgresStatement(
        "server_encoding", "SELECT current_setting('server_encoding') AS encoding")

    static let lockTimeout = PostgresStatement("lock_timeout", "SELECT current_setting('lock_timeout') AS lock_timeout")

    /// Sets the limit until the transaction ends.
    static let setLockTimeout = PostgresStatement(
        "lock_timeout_set", "SELECT set_config('lock_timeout', $1, true) AS lock_timeout")

    static let lockMigrations = PostgresStatement(
        "migration_lock", "SELECT true AS locked FROM pg_advisory_xact_lock($1::bigint)")

    /// Makes the list of migrations, to be sent only where none can be seen: `IF NOT EXISTS` would look into the first
    /// schema of the search path alone, and need the right to create in it.
    static let createMigrations = PostgresStatement(
        "migration_create",
        """
        CREATE TABLE schema_migrations (
            version integer PRIMARY KEY CHECK (version > 0),
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT clock_timestamp())
        """)

    static let hasMigrations = PostgresStatement(
        "migration_table", "SELECT to_regclass('schema_migrations') IS NOT NULL AS is_there")

    /// Sets the search path to the schema that has the migrations until the transaction ends; no row where none has.
    ///
    /// It reads a table, whose lock makes the session learn of what was made while it waited for another migrator.
    /// ``hasMigrations`` has none, and may answer from before.
    static let keepToSchema = PostgresStatement(
        "migration_schema",
        """
        SELECT set_config('search_path', relnamespace::regnamespace::text, true) AS search_path
        FROM pg_class WHERE oid = to_regclass('schema_migrations')
        """)

    /// The schemas in which the search path finds the migrations and the record's id.
    static let schemas = PostgresStatement(
        "migration_schemas",
        """
        SELECT (SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('schema_migrations'))
                AS migrations,
            (SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('installation')) AS record
        """)

    static let appliedMigrations = PostgresStatement(
        "migration_applied", "SELECT version, name, checksum FROM schema_migrations ORDER BY version")

    static let noteMigration = PostgresStatement(
        "migration_note", "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)")

    static let forgetMigration = PostgresStatement(
        "migration_forget", "DELETE FROM schema_migrations WHERE version = $1")

    /// Leaves out parts that count as missing: a disabled trigger, and an index that was not built to its end.
    ///
    /// It also leaves out a constraint's own index, and `NOT NULL`, which newer servers list among the constraints.
    static let schemaParts = PostgresStatement(
        "schema_parts",
        """
        WITH home AS (
            SELECT relnamespace AS namespace FROM pg_class WHERE oid = to_regclass('schema_migrations')
        ), tables AS (
            SELECT oid, relname FROM pg_class JOIN home ON relnamespace = namespace WHERE relkind = 'r'
        )
        SELECT 'function ' || proname AS part FROM pg_proc JOIN home ON pronamespace = namespace
        UNION ALL SELECT 'view ' || relname FROM pg_class JOIN home ON relnamespace = namespace WHERE relkind = 'v'
        UNION ALL SELECT 'column ' || attname || ' of ' || relname
        FROM tables JOIN pg_attribute ON attrelid = tables.oid WHERE attnum > 0 AND NOT attisdropped
        UNION ALL SELECT 'constraint ' || conname || ' of ' || relname
        FROM tables JOIN pg_constraint ON conrelid = tables.oid WHERE contype IN ('c', 'f', 'p', 'u', 'x')
        UNION ALL SELECT 'index ' || indexes.relname || ' of ' || tables.relname
        FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_class AS indexes ON indexes.oid = indexrelid
        WHERE indisvalid AND NOT EXISTS (
            SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)
        UNION ALL SELECT 'trigger ' || tgname || ' of ' || relname
        FROM tables JOIN pg_trigger ON tgrelid = tables.oid WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')
        """)

    // These work on any schema that has the table, not only on the newest one.

    static let countResults = PostgresStatement(
        "dropped_results", "SELECT count(*) AS rows FROM (SELECT FROM captures LIMIT $1) AS counted")

    static let countOpenRows = PostgresStatement(
        "dropped_open_rows",
        "SELECT count(*) AS rows FROM (SELECT FROM intake WHERE closed_at IS NULL LIMIT $1) AS counted")
}
