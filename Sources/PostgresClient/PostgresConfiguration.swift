package import Waiting

/// How to reach PostgreSQL, and how long to wait for it.
///
/// Every wait of the client ends by one of the limits here. The defaults fit a server in the same data centre.
/// The programs have settings (`postgres.…`) for all but ``answerGrace``, ``pingAcquireTimeout`` and ``backoff``.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection string, `host=… dbname=…` or `postgresql://…`.
    ///
    /// `sslmode=verify-full` makes TLS check the server's name; libpq's default accepts any server. Of several hosts,
    /// and of several addresses of one, a server that writes is chosen, unless `target_session_attrs` says otherwise.
    /// The string may hold a password and is never printed.
    package var conninfo: String
    /// How long connecting may take, name resolution included, all hosts and addresses together; default 2 s.
    ///
    /// A call that has waited in line has less: both take at most ``acquireTimeout`` and ``answerGrace`` together.
    package var connectTimeout: Duration = .seconds(2)
    /// How long the server may work on a statement (`statement_timeout`); default 10 s.
    package var statementTimeout: Duration = .seconds(10)
    /// How long a statement may wait for a lock (`lock_timeout`); default 5 s.
    package var lockTimeout: Duration = .seconds(5)
    /// How long after `statementTimeout` an answer may still come before the session is abandoned; default 5 s.
    package var answerGrace: Duration = .seconds(5)
    /// How long a call may wait for a free connection; default 5 s.
    package var acquireTimeout: Duration = .seconds(5)
    /// How long ``PostgresClient/ping()`` may wait for a free connection, if that is less; default `nil`.
    ///
    /// It should be less than the probe's own timeout: a full pool says nothing about the server.
    package var pingAcquireTimeout: Duration?
    /// The most connections, each on a serial queue of its own; default 4.
    package var connectionsMax: Int = 4
    /// The most calls that may wait for a free connection; default 1,024.
    package var waitersMax: Int = 1024
    /// Pauses between attempts to connect; default 50 ms doubling to 500 ms, with full jitter.
    ///
    /// The cap limits how long the server's return goes unnoticed, however long the outage was.
    package var backoff = Backoff(base: .milliseconds(50), cap: .milliseconds(500), jitter: .full)
    /// The name shown in the server's `pg_stat_activity`; default `capture-processor`.
    package var applicationName: String = "capture-processor"

    /// Takes a libpq connection string and the default limits.
    package init(conninfo: String) {
        self.conninfo = conninfo
    }

    /// Checks what can be checked without a server: the connection string.
    ///
    /// - Throws: ``PostgresError`` with code `configuration`, which never holds the string.
    package func validate() throws(PostgresError) {
        _ = try LibPQParameters(self)
    }

    /// How long a call may wait for a connection and connect it.
    ///
    /// A call that has used up its wait for a hanging server does not wait as long again, but has time for a healthy
    /// one.
    var reachTimeout: Duration { acquireTimeout + answerGrace }

    /// When the client gives up on an answer.
    var answerTimeout: Duration { statementTimeout + answerGrace }

    /// How long sent data may stay unacknowledged, and how long the server waits for a transaction's next statement.
    ///
    /// Other sessions wait for the transaction's locks, so 30 s is the limit even where a statement may take hours, as
    /// in a migration.
    var silenceMax: Duration { min(answerTimeout, .seconds(30)) }
}

extension PostgresConfiguration: CustomStringConvertible {
    /// The limits without the connection string, which may hold a password.
    package var description: String {
        "PostgresConfiguration(applicationName: \(applicationName), connectionsMax: \(connectionsMax))"
    }
}
