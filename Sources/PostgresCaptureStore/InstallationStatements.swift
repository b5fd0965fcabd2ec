import PostgresClient

extension Statements {
    // MARK: Installation

    /// The statements of the installation's id.
    static let installations = [hasInstallation, installation, sessionInstallation, renewInstallation]

    static let hasInstallation = PostgresStatement(
        "installation_table", "SELECT to_regclass('installation') IS NOT NULL AS is_there")

    static let installation = PostgresStatement("installation_read", "SELECT id FROM installation")

    /// Sets the session's search path to the schema that has the record, and to no other.
    ///
    /// Else a schema that comes before it on the path may get tables of the same names, and statements would go there.
    static let sessionInstallation = PostgresStatement(
        "installation_session",
        """
        SELECT installation.id, set_config('search_path', relnamespace::regnamespace::text, false) AS search_path
        FROM installation JOIN pg_class ON pg_class.oid = installation.tableoid
        """)

    static let renewInstallation = PostgresStatement(
        "installation_renew", "SELECT installation_renew_v1($1, $2) AS id")
}
