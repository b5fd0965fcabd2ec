import PostgresClient

extension Statements {
    // MARK: Migrations

    /// Those of migrations.
    static let migrations = [
        lockTimeout, setLockTimeout, lockMigrations, createMigrations, hasMigrations, appliedMigrations, noteMigration,
        forgetMigration, countResults, countOpenRows,
    ]

    static let lockTimeout = PostgresStatement("lock_timeout", "SELECT current_setting('lock_timeout') AS lock_timeout")

    /// Until the transaction ends.
    static let setLockTimeout = PostgresStatement(
        "lock_timeout_set", "SELECT set_config('lock_timeout', $1, true) AS lock_timeout")

    static let lockMigrations = PostgresStatement(
        "migration_lock", "SELECT true AS locked FROM pg_advisory_xact_lock($1::bigint)")

    static let createMigrations = PostgresStatement(
        "migration_create",
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            version integer PRIMARY KEY CHECK (version > 0),
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT clock_timestamp())
        """)

    static let hasMigrations = PostgresStatement(
        "migration_table", "SELECT to_regclass('schema_migrations') IS NOT NULL AS is_there")

    static let appliedMigrations = PostgresStatement(
        "migration_applied", "SELECT version, name, checksum FROM schema_migrations ORDER BY version")

    static let noteMigration = PostgresStatement(
        "migration_note", "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)")

    static let forgetMigration = PostgresStatement(
        "migration_forget", "DELETE FROM schema_migrations WHERE version = $1")

    // Of any schema that has the table, and not of the newest one alone.

    static let countResults = PostgresStatement(
        "dropped_results", "SELECT count(*) AS rows FROM (SELECT FROM captures LIMIT $1) AS counted")

    static let countOpenRows = PostgresStatement(
        "dropped_open_rows",
        "SELECT count(*) AS rows FROM (SELECT FROM intake WHERE closed_at IS NULL LIMIT $1) AS counted")
}
