/// How busy a client's connections are, for metrics.
package struct PostgresPoolStatus: Sendable, Equatable {
    /// Connections in use.
    package let leased: Int
    /// Sessions that nobody uses.
    package let idle: Int
    /// Calls that wait for a connection.
    package let waiting: Int
}
