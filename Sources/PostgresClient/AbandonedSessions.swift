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
        let known = self.known
        guard !known.isEmpty else { return }
        let answer = Result { () throws(PostgresError) in try active(among: known, session, deadline) }
        try note(answer, of: known)
    }

    /// Those that may be there still.
    var known: Set<Int32> { processes.withLock { $0 } }

    /// Forgets what is gone by the server's answer.
    ///
    /// After a refusal nothing is. Of a server in trouble all are taken to be there; one that never tells leaves it at
    /// that.
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
