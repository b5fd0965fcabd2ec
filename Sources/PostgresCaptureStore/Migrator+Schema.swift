package import CaptureStore
import PostgresClient

extension Migrator {
    /// The version of the schema; 0 when no migration was ever applied.
    package func schemaVersion() async throws(StoreError) -> Int {
        try await asStoreError { () throws(PostgresError) in
            guard try await client.execute(Statements.hasMigrations).first?.bool("is_there") ?? false else { return 0 }
            return try await Int(client.execute(Statements.appliedMigrations).rows.last?.int4("version") ?? 0)
        }
    }

    /// Why this program leaves the database's schema alone; `nil` if its steps are this program's, as far as it has them.
    package func objectionToSchema() async throws(StoreError) -> StoreError? {
        guard try await schemaVersion() > 0 else { return nil }
        return try await asStoreError { () throws(PostgresError) in
            try await objection(to: client.execute(Statements.appliedMigrations))
        }
    }

    /// Refuses to go on with a schema that lacks what this program needs, or that another program has made.
    ///
    /// A newer schema is fine: migrations only add to the parts in use by released programs; functions are versioned.
    package func requireCurrent() async throws(StoreError) {
        // Read first: steps that somebody takes meanwhile are compared, too.
        let version = try await schemaVersion()
        if let objection = try await objectionToSchema() { throw objection }
        guard version >= latestVersion else {
            throw StoreError(.refused, "the schema is at version \(version), needed is \(latestVersion): migrate first")
        }
    }

    /// Refuses a database whose encoding does not have all characters.
    ///
    /// PostgreSQL refuses the migrations' text there, and its reason may quote data, so that nobody is told it.
    /// `SQL_ASCII` keeps the bytes of UTF-8 as they come.
    func requireUTF8() async throws(StoreError) {
        let encoding = try await asStoreError { () throws(PostgresError) in
            try await client.execute(Statements.serverEncoding).first?.text("encoding") ?? ""
        }
        guard ["UTF8", "SQL_ASCII"].contains(encoding) else {
            throw StoreError(
                .refused,
                """
                the database's encoding is \(encoding), needed is UTF8: \
                createdb --encoding UTF8 --locale C.UTF-8 --template template0
                """)
        }
    }

    /// Refuses a list of migrations that is not the record's, as it is in another schema.
    ///
    /// A release before this one made such a list, empty, in a schema that came before the record's on the search path.
    func requireOneSchema() async throws(StoreError) {
        let schemas = try await asStoreError { () throws(PostgresError) -> (migrations: String?, record: String?) in
            guard let row = try await client.execute(Statements.schemas).first else { return (nil, nil) }
            return (try row.textOptional("migrations"), try row.textOptional("record"))
        }
        guard let migrations = schemas.migrations, let record = schemas.record, migrations != record else { return }
        throw StoreError(
            .refused,
            """
            the search path finds schema_migrations in the schema \(migrations) and the record in the schema \(record): \
            drop \(migrations).schema_migrations if it is empty, or leave one of the two out of the search path
            """)
    }

    /// What the schema of ``latestVersion`` has and the database lacks, named as in ``SchemaParts``.
    ///
    /// An aborted restore or an operator may leave a database without it at any version.
    package func missingParts() async throws(StoreError) -> [String] {
        let there = try await parts()
        return SchemaParts.all.filter { !there.contains($0) }
    }

    /// The parts of the database's schema, named as in ``SchemaParts``.
    func parts() async throws(StoreError) -> Set<String> {
        try await asStoreError { () throws(PostgresError) in
            var parts: Set<String> = []
            for row in try await client.execute(Statements.schemaParts).rows { parts.insert(try row.text("part")) }
            return parts
        }
    }

    /// Counts results and open rows of the ledger in a schema of a version, for a caller that is about to drop parts of
    /// it.
    /// - Parameter most: The limit of the count, as reading all results takes time.
    package func count(
        at version: Int, most: Int
    ) async throws(StoreError) -> (results: Int, openRows: Int) {
        try await asStoreError { () throws(PostgresError) -> (results: Int, openRows: Int) in
            let results = try await count(Statements.countResults, since: 3, version, most)
            let openRows = try await count(Statements.countOpenRows, since: 4, version, most)
            return (results, openRows)
        }
    }

    /// - Parameter first: The version that introduced the table.
    private func count(
        _ statement: PostgresStatement, since first: Int, _ version: Int, _ most: Int
    ) async throws(PostgresError) -> Int {
        guard version >= first else { return 0 }
        return try await Int(client.execute(statement, [.int8(Int64(most))]).first?.int8("rows") ?? 0)
    }
}
