import PostgresCaptureStore
import PostgresClient
import TestSupport

/// A fresh, migrated database of the shared server, and questions to it in SQL.
struct MigratedDatabase: Sendable {
    let name: String
    let conninfo: String
    private let server: PrivatePostgres

    /// - Parameter version: The last migration; by default that of this release.
    init(upTo version: Int? = nil) async throws {
        server = try await PrivatePostgres.shared()
        (name, conninfo) = try await server.createNamedDatabase()
        try await withClient(conninfo) { client in _ = try await Migrator(client: client).up(to: version) }
    }

    /// What a superuser is answered.
    @discardableResult
    func psql(_ sql: String) async throws -> String { try await server.psql(sql, database: name) }

    /// How the server finds the answer to a statement, and the numbers of rows on the way.
    /// - Parameters:
    ///   - arguments: As they are written in SQL.
    ///   - settings: What the session is set to.
    func plan(of statement: PostgresStatement, _ arguments: String, _ settings: String...) async throws -> String {
        try await psql(
            """
            \(settings.map { "SET \($0);" }.joined())
            PREPARE question AS \(statement.sql);
            EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE question (\(arguments))
            """)
    }
}
