/// Why PostgreSQL did not do what was asked, or why that is not known.
///
/// Equality is by ``code``, so that tests and callers can compare kinds of fault.
package struct PostgresError: Error, Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of fault.
    package enum Code: Hashable, Sendable {
        /// No connection: nothing was done, or the transaction was rolled back.
        case connection
        /// The connection, or a pooler's own to the server, broke before the answer came: the call may or may not have
        /// taken effect.
        case outcomeUnknown
        /// No answer came in time, and the connection is closed: the call may or may not have taken effect.
        case timeout
        /// The client is shut down: nothing was done.
        case closed
        /// The calling task was cancelled while it waited for a connection: nothing was done.
        case cancelled
        /// No connection became free in time, or too many callers wait already: nothing was done.
        case poolExhausted
        /// A value is not of the type that was asked for.
        case decoding
        /// The connection string is malformed, or a pooler in between takes away the session or its settings.
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
    /// The server's own words, which may quote values: for debuggers, not for logs.
    private let serverMessage: String?
    /// The server's function that refused; its name does not depend on the server's language.
    private let routine: String?

    /// Notes a fault.
    package init(_ code: Code, _ message: String) {
        self.init(code, message, serverMessage: nil, routine: nil)
    }

    private init(_ code: Code, _ message: String, serverMessage: String?, routine: String?) {
        self.code = code
        self.message = message
        self.serverMessage = serverMessage
        self.routine = routine
    }

    /// Makes the error for a server's answer.
    ///
    /// Class 08 (connection exception) and 40003 (statement completion unknown) mean that there is no answer, for
    /// example from a pooler whose own connection broke: the session is as good as lost, and the outcome unknown.
    ///
    /// The server's words are kept out of ``message`` if they may quote data: in the classes 22 (data exception) and 23
    /// (constraint violation), and in errors raised by our functions (P0).
    /// - Parameters:
    ///   - constraint: The violated constraint, if the server names one.
    ///   - routine: The server's function that refused.
    static func server(
        _ sqlState: String, primary: String, constraint: String?, routine: String? = nil
    ) -> PostgresError {
        if sqlState.hasPrefix("08") || sqlState == SQLState.completionUnknown {
            return PostgresError(.outcomeUnknown, "\(sqlState) \(primary)")
        }
        let quotesData = ["22", "23", "P0"].contains(String(sqlState.prefix(2)))
        let words = quotesData ? constraint.map { "constraint \($0)" } ?? "refused" : primary
        return PostgresError(.server(sqlState), words, serverMessage: primary, routine: routine)
    }

    /// The server's SQLSTATE (PostgreSQL manual, appendix A), when it refused.
    package var sqlState: String? { code.sqlState }

    /// Whether the same call may succeed later.
    ///
    /// Class 53 (resources), class 58 (the server's disk and files), a limit of the server's own, class 57P (shutdown,
    /// crash, starting, silence), 40001 and 40P01 (serialization, deadlock), 55P03 and 57014 (lock and statement
    /// timeout), 25P03 and 25P04 (a session ended for its silence: rolled back), 25006 (a replica before promotion),
    /// 26000 and a stale plan (a prepared statement that is gone or no longer fits the schema): all of these may succeed
    /// later, or on another session.
    package var isTransient: Bool {
        guard let sqlState else {
            return [.connection, .outcomeUnknown, .timeout, .poolExhausted].contains(code)
        }
        return ["53", "57P", "58"].contains(where: sqlState.hasPrefix) || SQLState.ended.contains(sqlState)
            || SQLState.conflicts.contains(sqlState) || endsSession || isOfServerLimit
    }

    /// Whether the server has come to a limit of its own, so that whoever writes is refused, whatever it is.
    ///
    /// No transaction ids or multixact ids are left, or a table's or index's file cannot grow. The first are 54000, as is
    /// a row that is too large for an index: only the routine tells them apart. A file that cannot grow may have any
    /// SQLSTATE (a used-up quota XX000, a file system that only reads 42501).
    package var isOfServerLimit: Bool {
        guard let sqlState, let routine else { return false }
        return ServerRoutine.extending.contains(routine)
            || sqlState == SQLState.limitExceeded && ServerRoutine.atLimits.contains(routine)
    }

    /// Whether the database lacks a table, column or function: its schema is not the one that the statement needs.
    package var isOfSchema: Bool { sqlState.map(SQLState.unknownNames.contains) ?? false }

    /// Whether the session must be replaced, as another one may succeed.
    ///
    /// 25006: the server was demoted, and its name may belong to another server by now. 26000, or a stale plan: a
    /// statement prepared on this session is gone, or no longer fits the schema.
    var endsSession: Bool {
        isStalePlan || sqlState == SQLState.readOnlyTransaction || sqlState == SQLState.noStatement
    }

    /// Whether a prepared statement no longer fits the schema; any other 0A000 is permanent.
    private var isStalePlan: Bool { sqlState == SQLState.notSupported && routine == ServerRoutine.revalidation }

    /// The same fault inside a transaction that was not committed: a lost connection means that it was rolled back.
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
