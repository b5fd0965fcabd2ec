package import CaptureStore
package import PostgresClient

/// Brings the schema to a version, step by step, each step in a transaction of its own.
///
/// Every step is taken in the schema in which the search path finds the migrations, or, in an empty database, would make
/// them. Any number of migrators may run at once: each step takes an advisory lock and then reads the version again. A
/// database with steps that are not this program's is refused before anything is done.
///
/// Give it a client whose `statementTimeout` fits the largest table: building an index takes time.
package struct Migrator: Sendable {
    let client: PostgresClient
    private let migrations: [Migration]

    /// Takes the program's own migrations, or those of a test; they are numbered from 1 without a gap.
    package init(client: PostgresClient, migrations: [Migration] = Migration.all) {
        precondition(
            migrations.map(\.version) == Array(1..<migrations.count + 1), "migrations are numbered without a gap")
        self.client = client
        self.migrations = migrations
    }

    /// The version that this program wants.
    package var latestVersion: Int { migrations.count }

    /// Why there is no way down from a version here; `nil` where there is one.
    ///
    /// Only a newer release can take back its own migrations.
    package func objection(toLeaving version: Int) -> StoreError? {
        guard version > latestVersion else { return nil }
        return StoreError(.refused, "the database is at migration \(version), this program at \(latestVersion)")
    }

    /// Applies the missing migrations up to a version, by default the latest; returns the steps taken here.
    ///
    /// A schema that a newer release has migrated stays as it is: see ``requireCurrent()``.
    package func up(
        to target: Int? = nil, onStep: StepObserver = { _, _ in }
    ) async throws(StoreError) -> [Step] {
        try await requireUTF8()
        try await requireOneSchema()
        return try await run(target ?? latestVersion, .up, onStep)
    }

    /// Takes back the migrations above a version; returns the steps taken here.
    ///
    /// Data are dropped with their tables.
    package func down(
        to target: Int, onStep: StepObserver = { _, _ in }
    ) async throws(StoreError) -> [Step] {
        try await run(target, .down, onStep)
    }

    private func run(
        _ target: Int, _ direction: Step.Direction, _ onStep: StepObserver
    ) async throws(StoreError) -> [Step] {
        guard (0...latestVersion).contains(target) else {
            throw StoreError(.refused, "there are migrations 0 to \(latestVersion), not \(target)")
        }
        var steps: [Step] = []
        while let step = try await takeStep(target, direction, onStep) {
            onStep(step, .ended)
            steps.append(step)
        }
        return steps
    }

    /// Takes the next step towards the target; `nil` when it is reached.
    private func takeStep(
        _ target: Int, _ direction: Step.Direction, _ onStep: StepObserver
    ) async throws(StoreError) -> Step? {
        let outcome: Result<Step?, StoreError> = try await asStoreError { () throws(PostgresError) in
            try await client.withTransaction { connection throws(PostgresError) in
                try await waitForOthers(connection)
                try await goToSchema(connection)
                let applied = try await connection.execute(Statements.appliedMigrations)
                let current = applied.count
                if let fault = try objection(to: applied) { return .failure(fault) }
                if direction == .down, let fault = objection(toLeaving: current) { return .failure(fault) }
                switch direction {
                case .up where current < target:
                    return .success(try await apply(migrations[current], connection, onStep))
                case .down where current > target:
                    return .success(try await revert(migrations[current - 1], connection, onStep))
                default: return .success(nil)
                }
            }
        }
        return try outcome.get()
    }

    /// Waits for another migrator's step, however long it takes.
    ///
    /// For the locks of its own step the usual limit applies again, as workers wait behind it.
    func waitForOthers(_ connection: PostgresConnection) async throws(PostgresError) {
        let limit = try await connection.execute(Statements.lockTimeout).first?.text("lock_timeout") ?? "0"
        _ = try await connection.execute(Statements.setLockTimeout, [.text("0")])
        _ = try await connection.execute(Statements.lockMigrations, AdvisoryLock.migrations.values)
        _ = try await connection.execute(Statements.setLockTimeout, [.text(limit)])
    }

    /// Goes to the schema of the list of migrations for the step, and makes the list where none can be seen.
    ///
    /// A schema may have come since that is before it on the search path, such as one of the role's own name.
    private func goToSchema(_ connection: PostgresConnection) async throws(PostgresError) {
        guard try await connection.execute(Statements.keepToSchema).count == 0 else { return }
        _ = try await connection.execute(Statements.createMigrations)
        _ = try await connection.execute(Statements.keepToSchema)
    }

    private func apply(
        _ migration: Migration, _ connection: PostgresConnection, _ onStep: StepObserver
    ) async throws(PostgresError) -> Step {
        let step = Step(direction: .up, version: migration.version, name: migration.name)
        onStep(step, .begins)
        try await connection.executeScript(migration.up)
        _ = try await connection.execute(
            Statements.noteMigration,
            [.int4(Int32(migration.version)), .text(migration.name), .text(migration.checksum)])
        return step
    }

    private func revert(
        _ migration: Migration, _ connection: PostgresConnection, _ onStep: StepObserver
    ) async throws(PostgresError) -> Step {
        let step = Step(direction: .down, version: migration.version, name: migration.name)
        onStep(step, .begins)
        try await connection.executeScript(migration.down)
        _ = try await connection.execute(Statements.forgetMigration, [.int4(Int32(migration.version))])
        return step
    }

    /// Why this program leaves a database alone that has these steps; `nil` if they are its own, as far as it has them.
    ///
    /// Steps are compared by the checksum of their text. Those of a newer release are unknown here, and no fault.
    func objection(to applied: PostgresResult) throws(PostgresError) -> StoreError? {
        for (index, row) in applied.rows.enumerated() {
            let version = try Int(row.int4("version"))
            guard version == index + 1 else {
                return StoreError(.refused, "migration \(index + 1) is missing from the database's list")
            }
            guard index < migrations.count else { return nil }
            let own = migrations[index]
            guard try row.text("checksum") == own.checksum else {
                let name = try row.text("name")
                return StoreError(
                    .refused,
                    """
                    migration \(version) of the database (\(name)) is not this program's (\(own.name)), \
                    and nothing was changed: another version of the program has made the database, or a build between \
                    two releases. Run that one's programs with it, or this one's with an empty database
                    """)
            }
        }
        return nil
    }
}
