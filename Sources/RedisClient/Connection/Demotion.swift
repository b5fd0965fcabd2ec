/// Tracks whether the server of one connection has become a replica, and shares it with the client's other connections.
struct Demotion {
    /// Why nothing more is written to this connection.
    private(set) var fault: RedisError?
    private let all: Demotions
    /// The number of demotions when this connection was made.
    private var countBefore = 0

    init(_ all: Demotions) {
        self.all = all
    }

    /// A connection is made that has not logged in yet.
    ///
    /// - Returns: Whether to ask the server for its role: for a while the address may still lead to the demoted server,
    ///   which accepts every log-in.
    mutating func begin() -> Bool {
        fault = nil
        countBefore = all.count
        return countBefore > 0
    }

    /// Checks an answer; when this returns, no connection of the client that is as old writes to its server any more.
    ///
    /// - Returns: Whether the server was found to be a replica just now.
    mutating func hear(_ refusal: RedisServerError?) -> Bool {
        guard fault == nil, let refusal, refusal.isOfReplica else { return false }
        fault = RedisError(.connection, refusal.message)
        all.note(after: countBefore)
        return true
    }

    /// Checks whether another connection was refused since this one was made.
    ///
    /// - Returns: Whether that is so and was not known before.
    mutating func follow() -> Bool {
        guard fault == nil, countBefore != all.count else { return false }
        fault = RedisError(.connection, "READONLY was said to another connection of this client")
        return true
    }

    /// The server answered at log-in that it is a replica.
    ///
    /// - Returns: Why it is left.
    mutating func meetReplica() -> RedisError {
        let fault = RedisError(.connection, "READONLY: the server is a replica")
        self.fault = fault
        return fault
    }

    /// The connection is gone.
    ///
    /// - Returns: Whether it was left because its server takes no writes.
    mutating func end() -> Bool {
        defer { fault = nil }
        return fault != nil
    }
}
