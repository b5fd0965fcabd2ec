import PostgresClient

extension Statements {
    // MARK: Installation

    /// The statements of the installation's id.
    static let installations = [hasInstallation, installation, renewInstallation]

    static let hasInstallation = PostgresStatement(
        "installation_table", "SELECT to_regclass('installation') IS NOT NULL AS is_there")

    static let installation = PostgresStatement("installation_read", "SELECT id FROM installation")

    static let renewInstallation = PostgresStatement(
        "installation_renew", "SELECT installation_renew_v1($1, $2) AS id")
}
