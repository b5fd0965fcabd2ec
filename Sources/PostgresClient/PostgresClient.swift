package import FoundationEssentials
package import HostNames
package import Logging
import ServiceLifecycle

/// PostgreSQL over libpq: a bounded pool of connections, each on its own serial queue, that recovers by itself.
///
/// ```swift
/// let client = PostgresClient(configuration: .init(conninfo: "host=/run/postgresql dbname=capture"), logger: logger)
/// let devices = PostgresStatement("device_count", "SELECT count(*) AS devices FROM devices")
/// let count = try await client.execute(devices).first?.int8("devices")
/// ```
/// Connections are made when they are needed, checked before they are used, and made anew when dead. If the server gives
/// no more of them, calls wait for those that there are. Nothing is retried: an error says whether the statement can have
/// had an effect, and the caller decides.
///
/// ## Topics
/// ### Statements
/// - ``execute(_:_:)``, ``withConnection(_:)``, ``withTransaction(_:)``, ``ping()``
/// ### Whose database it is
/// - ``require(installation:askedBy:)``, ``otherInstallation``
/// ### Life
/// - ``run()``, ``close()``, ``status``
package final class PostgresClient: Service, Sendable {
    private let pool: ConnectionPool
    private let pingTimeout: Duration

    /// Makes a client; it connects with the first statement.
    /// - Parameters:
    ///   - configuration: Where the server is, and the limits.
    ///   - logger: Told when the server gives no more connections beside those that work, and when it does again; at
    ///     `debug`, when none can be made.
    ///   - names: Finds the addresses of the server's hosts.
    ///   - chance: Random numbers from 0 to 1, uniform, which space out the attempts to reconnect.
    package init(
        configuration: PostgresConfiguration, logger: Logger, names: HostNames = .system,
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        let gate = ReconnectGate(backoff: configuration.backoff, logger: logger, chance: chance)
        self.pool = ConnectionPool(configuration, gate: gate, names: names)
        let wait = configuration.acquireTimeout
        pingTimeout = min(wait, configuration.pingAcquireTimeout ?? wait)
    }

    /// Waits for the graceful shutdown and then closes the connections.
    ///
    /// Statements work before this call as well.
    package func run() async throws {
        // A cancelled task ends without an error: there is nothing to finish either way.
        try? await gracefulShutdown()
        await close()
    }

    /// Turns waiting calls away, closes idle connections at once, and the others after their work.
    package func close() async {
        await pool.close()
    }

    /// Requires every session, from the next call on, to be with the database of an installation.
    ///
    /// Each new session is asked before a caller's statement is sent, and those that there are are replaced. If it is
    /// another installation's, the call fails with ``PostgresError/Code/connection``, and ``otherInstallation`` has its id.
    /// If it does not say, the call fails with the fault.
    /// - Parameter question: Returns a row with the `id`, a UUID. It may set what the session is to have.
    package func require(installation: UUID, askedBy question: PostgresStatement) {
        pool.installation.set(installation, askedBy: question)
    }

    /// The installation that a session was refused for; `nil` while none was.
    package var otherInstallation: UUID? { pool.installation.other }

    /// How busy the connections are.
    package var status: PostgresPoolStatus { pool.status }

    /// Runs one statement in a transaction of its own.
    package func execute(
        _ statement: PostgresStatement, _ parameters: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresResult {
        try await pool.withConnection { connection, connectBy throws(LoanFault) in
            try await connection.openAndExecute(statement, parameters, connectBy: connectBy)
        }
    }

    /// Lends one connection for the length of a body.
    package func withConnection<Value: Sendable>(
        _ body: (PostgresConnection) async throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        try await lend(within: nil, body)
    }

    private func lend<Value: Sendable>(
        within timeout: Duration?, _ body: (PostgresConnection) async throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        try await pool.withConnection(within: timeout) { connection, connectBy throws(LoanFault) in
            try await connection.open(by: connectBy)
            do throws(PostgresError) {
                let value = try await body(connection)
                await connection.closeUnlessClean()
                return value
            } catch {
                await connection.closeUnlessClean()
                throw LoanFault.failed(error)
            }
        }
    }

    /// Runs a body in one transaction (READ COMMITTED): committed when it returns, rolled back when it throws.
    ///
    /// If the connection is lost before COMMIT was sent, the server rolls back and the error is
    /// ``PostgresError/Code/connection``; if it is lost afterwards, ``PostgresError/Code/outcomeUnknown``.
    package func withTransaction<Value: Sendable>(
        _ body: (PostgresConnection) async throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        try await withConnection { connection throws(PostgresError) in
            let value: Value
            do throws(PostgresError) {
                _ = try await connection.execute(Self.begin)
                value = try await body(connection)
            } catch {
                await Self.rollBack(connection)
                throw error.beforeCommit
            }
            let result = try await connection.execute(Self.commit)
            // The server answers the COMMIT of a failed transaction with ROLLBACK, and calls that a success.
            guard result.commandTag == "COMMIT" else {
                throw .server("25P02", primary: "the transaction had failed and was rolled back", constraint: nil)
            }
            return value
        }
    }

    /// Succeeds when the server answers and is able to write.
    /// - Throws: SQLSTATE 25006 from a server that only reads, 54000 from one that has no transaction ids left;
    ///   ``PostgresError/Code/poolExhausted`` when no connection became free within
    ///   ``PostgresConfiguration/pingAcquireTimeout``, so that the server was not asked;
    ///   ``PostgresError/Code/connection`` if then no connection has a session and connecting takes too long.
    package func ping() async throws(PostgresError) {
        do throws(PostgresError) {
            try await look()
        } catch {
            guard error.code == .poolExhausted, pool.isHanging else { throw error }
            throw PostgresError(.connection, "no session, and connecting takes longer than it may")
        }
    }

    private func look() async throws(PostgresError) {
        try await lend(within: pingTimeout) { connection throws(PostgresError) in
            guard let row = try await connection.execute(Self.writability).first else { return }
            if try row.bool("is_read_only") {
                // The server's name may belong to another server by now.
                await connection.close()
                throw .server(SQLState.readOnlyTransaction, primary: "the server only reads", constraint: nil)
            }
            guard try await Self.isOutOfIDs(connection) else { return }
            throw .server(
                SQLState.limitExceeded, primary: "no transaction ids are left", constraint: nil,
                routine: ServerRoutine.transactionIDs)
        }
    }

    /// Whether whoever writes is refused; `false` from a server that keeps to itself which databases it has.
    private static func isOutOfIDs(_ connection: PostgresConnection) async throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            return try await connection.execute(usedIDs).first?.bool("is_out_of_ids") ?? false
        } catch {
            guard error.sqlState == SQLState.noRight else { throw error }
            return false
        }
    }

    private static func rollBack(_ connection: PostgresConnection) async {
        do throws(PostgresError) {
            _ = try await connection.execute(rollback)
        } catch {
            // The connection is closed when it is given back, and the server then rolls back.
        }
    }

    private static let begin = PostgresStatement("client_begin", "BEGIN ISOLATION LEVEL READ COMMITTED")
    private static let commit = PostgresStatement("client_commit", "COMMIT")
    private static let rollback = PostgresStatement("client_rollback", "ROLLBACK")
    private static let writability = PostgresStatement(
        "client_ping", "SELECT current_setting('transaction_read_only') = 'on' AS is_read_only")
    /// Ids are refused once the oldest is so old: 3,000,000 before half of all that there are
    /// (`SetTransactionIdLimit`).
    ///
    /// A database whose removal broke off (-2) holds nothing up.
    private static let usedIDs = PostgresStatement(
        "client_used_ids",
        """
        SELECT max(age(datfrozenxid)) >= 2144483647 AS is_out_of_ids FROM pg_database WHERE datconnlimit <> -2
        """)
}
