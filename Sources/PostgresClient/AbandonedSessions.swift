import Synchronization

/// The server's processes of sessions that were abandoned in the middle of a statement.
///
/// A commit that waits for a standby or a disk heeds neither a time limit nor the end of its session. So each abandoned
/// session leaves a process behind, and the next statement would open another one, until the server accepts no more
/// sessions.
final class AbandonedSessions: Sendable {
    private let limit: Int
    private let processes = Mutex<Set<Int32>>([])

    /// - Parameter limit: The most such processes; beyond it no session is opened.
    init(limit: Int) {
        self.limit = limit
    }

    /// Notes that a session was abandoned.
    func add(_ process: Int32) {
        processes.withLock { _ = $0.insert(process) }
    }

    /// Asks the server, over a new session, which of the processes still exist.
    /// - Throws: ``PostgresError/Code/connection`` when there are too many.
    func check(_ session: LibPQSession, deadline: ContinuousClock.Instant) throws(PostgresError) {
        let known = self.known
        guard !known.isEmpty else { return }
        let answer = Result { () throws(PostgresError) in try active(among: known, session, deadline) }
        try note(answer, of: known)
    }

    /// The processes that may still exist.
    var known: Set<Int32> { processes.withLock { $0 } }

    /// Forgets processes that are gone by the server's answer.
    ///
    /// A refusal shows nothing, and the session may open. After a transient fault all processes count as existing.
    /// Without an answer the fault is thrown.
    func note(_ answer: Result<Set<Int32>, PostgresError>, of known: Set<Int32>) throws(PostgresError) {
        let left: Set<Int32>
        switch answer {
        case .success(let active):
            left = active
            processes.withLock { $0.subtract(known.subtracting(active)) }
        case .failure(let error):
            guard error.sqlState != nil else { throw error.beforeCommit }
            left = error.isTransient ? known : []
        }
        guard left.count < limit else {
            throw PostgresError(.connection, "\(left.count) sessions that were given up are still at work there")
        }
    }

    private func active(
        among known: Set<Int32>, _ session: LibPQSession, _ deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Set<Int32> {
        let parameters = ParameterEncoder([.int4Array(Array(known))])
        var left: Set<Int32> = []
        for row in try session.execute(Self.look, parameters, deadline: deadline).rows {
            left.insert(try row.int4("pid"))
        }
        return left
    }

    private static let look = PostgresStatement(
        "client_abandoned",
        """
        SELECT pid FROM pg_stat_activity
        WHERE pid = ANY ($1::int4[]) AND pid <> pg_backend_pid() AND state = 'active'
        """)
}
