package import Backoff

/// How to reach PostgreSQL, and how long to wait for it.
///
/// Every wait of the client ends by one of the limits here. The defaults fit a server in the same data centre.
/// The programs have settings (`postgres.…`) for all but ``answerGrace``, ``pingAcquireTimeout`` and ``backoff``.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection string, `host=… dbname=…` or `postgresql://…`.
    ///
    /// `sslmode=verify-full` for TLS that checks the server's name; libpq's own default takes whatever answers. Of
    /// several hosts, and of several addresses of one, one that writes is taken, unless `target_session_attrs` says
    /// otherwise. May hold a password: never printed.
    package var conninfo: String
    /// How long connecting may take, name resolution included, all hosts and addresses together; default 2 s.
    ///
    /// Less for a call that has waited in line: both together take no longer than ``acquireTimeout`` and ``answerGrace``.
    package var connectTimeout: Duration = .seconds(2)
    /// How long the server may work on a statement (`statement_timeout`); default 10 s.
    package var statementTimeout: Duration = .seconds(10)
    /// How long a statement may wait for a lock (`lock_timeout`); default 5 s.
    package var lockTimeout: Duration = .seconds(5)
    /// How long after `statementTimeout` the server's answer may take before it is given up for dead; default 5 s.
    package var answerGrace: Duration = .seconds(5)
    /// How long a call may wait for a free connection; default 5 s.
    package var acquireTimeout: Duration = .seconds(5)
    /// The same for ``PostgresClient/ping()``, where that is less; default `nil`.
    ///
    /// Less than whoever probes waits for the answer: a pool that is full tells nothing about the server.
    package var pingAcquireTimeout: Duration?
    /// The most connections, each on a serial queue of its own; default 4.
    package var connectionsMax: Int = 4
    /// The most calls that may wait for a free connection; default 1,024.
    package var waitersMax: Int = 1024
    /// Pauses between attempts to connect; default 50 ms doubling to 500 ms, with full jitter.
    ///
    /// The cap bounds how long the server may be back before it is noticed, however long it was away.
    package var backoff = Backoff(base: .milliseconds(50), cap: .milliseconds(500), jitter: .full)
    /// What the server's `pg_stat_activity` shows; default `capture-processor`.
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

    /// How long a call may wait for a connection and connect it: whoever has waited its whole time in line for a server
    /// that hangs is not made to wait as long again, and has time for one that does not.
    var reachTimeout: Duration { acquireTimeout + answerGrace }

    /// When the client gives up on an answer.
    var answerTimeout: Duration { statementTimeout + answerGrace }

    /// How long what was sent may stay unacknowledged, and how long the server waits for the next statement of a
    /// transaction, whose locks others wait for: neither takes longer where a statement may take hours, as in a
    /// migration.
    var silenceMax: Duration { min(answerTimeout, .seconds(30)) }
}

extension PostgresConfiguration: CustomStringConvertible {
    /// The limits without the connection string, which may hold a password.
    package var description: String {
        "PostgresConfiguration(applicationName: \(applicationName), connectionsMax: \(connectionsMax))"
    }
}
