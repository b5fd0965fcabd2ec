/// Why a call that was lent a connection failed.
enum LoanFault: Error {
    /// The connection has no session and could not open one: nothing was done.
    case unopened(PostgresError)
    /// The connection had a session; what was to be done with it has failed.
    case failed(PostgresError)
}
