import Synchronization

/// The server's processes of sessions that were given up in the middle of a statement.
///
/// A commit that waits for a standby, or for a disk, heeds neither a time limit nor the end of its session: each one that
/// is given up leaves a process behind, and the next statement would open another session, until the server has room
/// for nobody.
final class AbandonedSessions: Sendable {
    private let limit: Int
    private let processes = Mutex<Set<Int32>>([])

    /// - Parameter limit: How many may be left behind before no session is opened.
    init(limit: Int) {
        self.limit = limit
    }

    /// A session was given up.
    func add(_ process: Int32) {
        processes.withLock { _ = $0.insert(process) }
    }

    /// Asks the server, over a new session, which of them are there still.
    /// - Throws: ``PostgresError/Code/connection`` where they are too many.
    func check(_ session: LibPQSession, deadline: ContinuousClock.Instant) throws(PostgresError) {
        let known = processes.withLock { $0 }
        guard !known.isEmpty else { return }
        var left: Set<Int32> = []
        do throws(PostgresError) {
            let parameters = ParameterEncoder([.int4Array(Array(known))])
            for row in try session.execute(Self.look, parameters, deadline: deadline).rows {
                left.insert(try row.int4("pid"))
            }
        } catch {
            // A server that does not tell leaves it at that.
            guard error.sqlState != nil else { throw error.beforeCommit }
        }
        processes.withLock { $0.subtract(known.subtracting(left)) }
        guard left.count < limit else {
            throw PostgresError(.connection, "\(left.count) sessions that were given up are still at work there")
        }
    }

    private static let look = PostgresStatement(
        "client_abandoned",
        """
        SELECT pid FROM pg_stat_activity
        WHERE pid = ANY ($1::int4[]) AND pid <> pg_backend_pid() AND state = 'active'
        """)
}
