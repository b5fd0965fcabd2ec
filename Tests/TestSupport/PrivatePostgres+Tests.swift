import Foundation
package import PrivateServers

extension PrivatePostgres {
    private static let sharedServer = Once<PrivatePostgres> { try await PrivatePostgres.start() }

    /// The server that tests share; each test has a database of its own in it.
    package static func shared() async throws -> PrivatePostgres { try await sharedServer.value() }

    /// Sends the postmaster a signal.
    ///
    /// SIGSTOP does not stop its sessions' processes; see ``signalAll(_:)``.
    package func signal(_ signal: Int32) { process.signal(signal) }

    /// Sends every process of the server a signal, for example SIGSTOP and SIGCONT.
    ///
    /// The postmaster is stopped first: otherwise it would start more processes meanwhile, which would survive a
    /// SIGKILL.
    package func signalAll(_ signal: Int32) async throws {
        self.signal(SIGSTOP)
        let file = directory.appendingPathComponent("data/postmaster.pid")
        let postmaster =
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first.map(String.init) ?? ""
        _ = try await LeashedProcess.run("pkill", ["-\(signal)", "-P", postmaster])
        self.signal(signal)
    }

    /// Ends the sessions of two databases and gives each the other's name, as where a name of a server comes to lead to
    /// another one.
    package func swapDatabases(_ one: String, _ other: String) async throws {
        // A program may open a session between the two steps.
        try await eventually {
            let renamed = try? await psql(
                """
                SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
                WHERE datname IN ('\(one)', '\(other)');
                ALTER DATABASE \(one) RENAME TO \(one)_away;
                ALTER DATABASE \(other) RENAME TO \(one);
                ALTER DATABASE \(one)_away RENAME TO \(other)
                """)
            return renamed != nil
        }
    }

    /// Kills the whole server (SIGKILL to all) and waits until the postmaster is gone.
    package func kill() async throws {
        try await signalAll(SIGKILL)
        _ = try await process.exitCode()
    }

    /// The settings for ``useUpTransactionIDs()``; with them autovacuum looks every second.
    package static let forUsedUpIDs = ["wal_level=logical", "autovacuum_naptime=1"]

    /// Starts it again with no transaction id left; a replication slot keeps autovacuum from freeing any.
    package func useUpTransactionIDs() async throws {
        try await psql("SELECT pg_create_logical_replication_slot('forgotten', 'pgoutput')")
        let answer = try await psql("SELECT min(datfrozenxid::text::bigint) FROM pg_database")
        guard let oldest = Int(answer) else { throw LeashedProcess.Failure(description: "no id in '\(answer)'") }
        try await stop()
        // Beyond the limit by more than what is older than the slot.
        try await setNextTransaction(oldest + 2_144_483_647 + 100_000)
        try await restart()
    }

    /// Drops the slot of ``useUpTransactionIDs()``, and waits until autovacuum has freed ids.
    package func freeTransactionIDs() async throws {
        try await psql("SELECT pg_drop_replication_slot('forgotten')")
        try await eventually { (try? await psql("SELECT pg_current_xact_id()")) != nil }
    }

    /// Ends it at once and cleanly (SIGINT, "fast shutdown") and waits until it is gone.
    package func stop() async throws {
        let process = process
        process.signal(SIGINT)
        _ = try await process.exitCode()
    }
}
