package import CaptureStore
import PostgresClient

extension Migrator {
    /// What ``grant(to:)`` has granted.
    package struct Granted: Sendable, Equatable {
        /// The rights that the role lacked.
        package let rights: [MissingRight]
        /// Whether it has the rights of the tables' owner: to disable the triggers that keep results, for example.
        package let hasOwnerRights: Bool
    }

    /// Grants a role what gateways, workers and operators' commands need and it lacks; takes nothing away.
    ///
    /// The schema has to be current; the client's user has to own it. The role's search path has to lead to it as well.
    /// - Throws: ``StoreError`` with code `refused` if there is no such role, or the rights are not the user's to grant.
    package func grant(to role: String) async throws(StoreError) -> Granted {
        let outcome: Result<Granted, StoreError> = try await asStoreError { () throws(PostgresError) in
            try await client.withTransaction { connection throws(PostgresError) in
                // Two that grant at once would meet in the catalogue's rows.
                try await waitForOthers(connection)
                // A schema that comes before it on the search path may have tables of the same names.
                _ = try await connection.execute(Statements.keepToSchema)
                guard let grantee = try await connection.execute(Statements.grantee, [.text(role)]).first else {
                    return .failure(StoreError(.refused, "there is no role \(role): CREATE ROLE first"))
                }
                let missing = try await Self.rights(missingFrom: role, connection)
                let name = try grantee.text("name")
                let script = missing.map { $0.grantStatement(to: name) }.joined(separator: "\n")
                if !missing.isEmpty { try await connection.executeScript(script) }
                // Of what is not the user's to grant PostgreSQL only warns.
                guard try await Self.rights(missingFrom: role, connection).isEmpty else {
                    return .failure(StoreError(.refused, "only the tables' owner can grant the rights"))
                }
                return .success(Granted(rights: missing, hasOwnerRights: try grantee.bool("is_owner")))
            }
        }
        return try outcome.get()
    }

    private static func rights(
        missingFrom role: String, _ connection: PostgresConnection
    ) async throws(PostgresError) -> [MissingRight] {
        try await MissingRight.all(in: connection.execute(Statements.missingRights, [.text(role)]))
    }
}

extension Statements {
    /// A role by its name, which `public` is none of, and whether it is, or may become, the owner of the results.
    static let grantee = PostgresStatement(
        "grantee",
        """
        SELECT quote_ident(rolname) AS name,
            coalesce(pg_has_role(oid, (
                SELECT relowner FROM pg_class WHERE pg_class.oid = to_regclass('captures')), 'MEMBER'), false) AS is_owner
        FROM pg_roles WHERE rolname = $1::text
        """)
}
