/// Why PostgreSQL did not do what was asked, or why that is not known.
///
/// Equality is by ``code``, so that tests and callers can compare with a kind.
package struct PostgresError: Error, Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of fault.
    package enum Code: Hashable, Sendable {
        /// No connection: nothing was done, or the transaction was rolled back.
        case connection
        /// The connection, or a pooler's behind it, broke while the answer was on its way: it may or may not have been
        /// done.
        case outcomeUnknown
        /// No answer in time, and the connection is closed: it may or may not have been done.
        case timeout
        /// The client is shut down: nothing was done.
        case closed
        /// The calling task was cancelled while it waited for a connection: nothing was done.
        case cancelled
        /// No connection became free in time, or too many callers wait already: nothing was done.
        case poolExhausted
        /// A value is not of the type that was asked for.
        case decoding
        /// The connection string is malformed, or what is in between takes away from a session what it was opened with.
        case configuration
        /// The server refused, with this SQLSTATE; nothing was done.
        case server(_ sqlState: String)

        /// The server's SQLSTATE, when it refused.
        package var sqlState: String? {
            guard case .server(let state) = self else { return nil }
            return state
        }
    }

    /// The kind of fault.
    package let code: Code
    /// What happened, without values, statements or secrets.
    package let message: String
    /// The constraint that was violated, where the server names one.
    package let constraint: String?
    /// The server's own words, which may quote values: for debuggers, not for logs.
    private let serverMessage: String?
    /// What was prepared on the session does not fit the schema any more; whatever else is 0A000 is for good.
    private let isStalePlan: Bool

    /// Notes a fault.
    package init(_ code: Code, _ message: String) {
        self.init(code, message, constraint: nil, serverMessage: nil, isStalePlan: false)
    }

    private init(_ code: Code, _ message: String, constraint: String?, serverMessage: String?, isStalePlan: Bool) {
        self.code = code
        self.message = message
        self.constraint = constraint
        self.serverMessage = serverMessage
        self.isStalePlan = isStalePlan
    }

    /// Notes what the server answered.
    ///
    /// Class 08 (connection exception) and 40003 (statement completion unknown) say that there is no answer, as a
    /// pooler does whose own connection broke: the session is as good as lost, and the outcome unknown.
    ///
    /// Its words are kept out of ``message`` where they quote data: the classes 22 (data exception) and 23 (constraint
    /// violation), and whatever a function of ours raises (P0).
    /// - Parameter routine: The server's function that refused, which no language changes.
    static func server(
        _ sqlState: String, primary: String, constraint: String?, routine: String? = nil
    ) -> PostgresError {
        if sqlState.hasPrefix("08") || sqlState == "40003" {
            return PostgresError(.outcomeUnknown, "\(sqlState) \(primary)")
        }
        let quotesData = ["22", "23", "P0"].contains(String(sqlState.prefix(2)))
        let words = quotesData ? constraint.map { "constraint \($0)" } ?? "refused" : primary
        return PostgresError(
            .server(sqlState), words, constraint: constraint, serverMessage: primary,
            isStalePlan: sqlState == "0A000" && routine == "RevalidateCachedQuery")
    }

    /// The server's SQLSTATE (PostgreSQL manual, appendix A), when it refused.
    package var sqlState: String? { code.sqlState }

    /// Whether the same call may succeed later.
    ///
    /// Class 53 (resources), 57P01–57P03 (shutdown, crash, starting), 40001 and 40P01 (serialization, deadlock), 55P03
    /// and 57014 (lock and statement timeout), 25P03, 25P04 and 57P05 (a session ended for its silence: rolled back),
    /// 25006 (a replica before promotion), 26000 and a stale plan (a prepared statement that is gone, or that the schema
    /// has left behind): what another session may fare better with.
    package var isTransient: Bool {
        guard let sqlState else {
            return [.connection, .outcomeUnknown, .timeout, .poolExhausted].contains(code)
        }
        let states = [
            "57P01", "57P02", "57P03", "57P05", "40001", "40P01", "55P03", "57014", "25P03", "25P04",
        ]
        return sqlState.hasPrefix("53") || states.contains(sqlState) || endsSession
    }

    /// Whether the database has no such table, column or function: its schema is not the one that the statement is for.
    package var isOfSchema: Bool { sqlState.map { ["42P01", "42703", "42883"].contains($0) } ?? false }

    /// Whether another session may fare better than the one that was told this.
    ///
    /// 25006: of a server that was demoted, whose name may belong to another one by now. 26000, and a stale plan: what
    /// was prepared on this session is gone, or does not fit the schema any more.
    var endsSession: Bool { isStalePlan || sqlState.map { ["25006", "26000"].contains($0) } ?? false }

    /// The same fault seen from inside a transaction that was not committed: whatever was lost is rolled back.
    var beforeCommit: PostgresError {
        guard code == .outcomeUnknown || code == .timeout else { return self }
        return PostgresError(.connection, message)
    }

    /// Kind and message, safe for logs.
    package var description: String { "postgres \(code): \(message)" }

    /// With the server's own words.
    package var debugDescription: String { serverMessage.map { "\(description) (\($0))" } ?? description }

    /// By kind.
    package static func == (left: PostgresError, right: PostgresError) -> Bool { left.code == right.code }
}
