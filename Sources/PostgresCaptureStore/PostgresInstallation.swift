package import CaptureModel
package import CaptureStore
package import PostgresClient

/// The installation that a database belongs to: an id made with its schema, which stays the same, also in backups.
///
/// ```swift
/// let installation = try await PostgresInstallation(client: client).require()
/// ```
/// The queue in Redis and the bundle directory carry the same id; those with another id belong to another installation.
package struct PostgresInstallation: Sendable {
    private let client: PostgresClient

    /// Reads through a client, which stays the caller's to run.
    package init(client: PostgresClient) {
        self.client = client
    }

    /// Reads the id; `nil` if the schema is too old to have one.
    package func read() async throws(StoreError) -> InstallationID? {
        try await asStoreError { () throws(PostgresError) in
            guard try await client.execute(Statements.hasInstallation).first?.bool("is_there") ?? false else {
                return nil
            }
            guard let row = try await client.execute(Statements.installation).first else { return nil }
            return InstallationID(try row.uuid("id"))
        }
    }

    /// Reads the id, which must exist.
    /// - Throws: ``StoreError`` with code `refused` if the schema is too old to have one.
    package func require() async throws(StoreError) -> InstallationID {
        guard let installation = try await read() else {
            throw StoreError(.refused, "the record has no id of its installation: migrate first")
        }
        return installation
    }

    /// Requires every session of the client to be with this installation's database, and keeps its statements in the
    /// schema that has the record.
    ///
    /// Other sessions are refused before a statement is sent there: the call is `unavailable`, and ``other`` has their id.
    package func require(_ installation: InstallationID) {
        client.require(installation: installation.uuid, askedBy: Statements.sessionInstallation)
    }

    /// The installation whose database a session of the client has come to be with; `nil` if none has.
    package var other: InstallationID? { client.otherInstallation.map { InstallationID($0) } }

    /// Gives a copied database an id of its own, and notes it in the audit, both in one step.
    /// - Parameters:
    ///   - installation: The id that it has.
    ///   - actor: Who does it, for the audit.
    /// - Throws: ``StoreError`` with code `conflict` if it has another id by now.
    package func renew(_ installation: InstallationID, by actor: String) async throws(StoreError) -> InstallationID {
        let answer = try await asStoreError { () throws(PostgresError) -> InstallationID? in
            let values: [PostgresValue] = [.uuid(installation.uuid), .text(actor)]
            let row = try await client.execute(Statements.renewInstallation, values).first
            guard let id = try row?.uuidOptional("id") else { return nil }
            return InstallationID(id)
        }
        guard let renewed = answer else {
            throw StoreError(.conflict, "the record is not of the installation \(installation) any more")
        }
        return renewed
    }
}
