/// The server's SQLSTATEs that are treated by themselves (PostgreSQL manual, appendix A).
package enum SQLState {
    /// Another row has the value of a unique index already.
    package static let uniqueViolation = "23505"
    /// Somebody else has a lock, for longer than one may wait for it.
    package static let lockNotAvailable = "55P03"
    /// The server is a replica, or a setting makes it read-only.
    package static let readOnlyTransaction = "25006"
    /// The server has as many connections as it may have.
    package static let tooManyConnections = "53300"
    /// The client could not establish a connection.
    package static let noConnection = "08001"

    /// The role may not do what was asked.
    static let noRight = "42501"
    /// Another transaction was in the way: serialization failure, deadlock, lock and statement timeout.
    package static let conflicts: Set<String> = ["40001", "40P01", lockNotAvailable, "57014"]

    /// Whether the statement has completed is unknown.
    static let completionUnknown = "40003"
    /// A prepared statement that is not there.
    static let noStatement = "26000"
    /// What is called is not supported; of a cached plan, its result is another one than when it was made.
    static let notSupported = "0A000"
    /// A limit of the server, or of what a row may have.
    static let limitExceeded = "54000"
    /// A session that was ended for its silence within a transaction.
    static let ended: Set<String> = ["25P03", "25P04"]
    /// No such table, column or function.
    static let unknownNames: Set<String> = ["42P01", "42703", "42883"]
}
