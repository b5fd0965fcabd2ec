/// Whether the server of one connection is known to be no primary any more, and who else has to know.
struct Demotion {
    /// Why nothing more is written to this connection.
    private(set) var fault: RedisError?
    private let all: Demotions
    /// How many there were when this connection was made.
    private var countBefore = 0

    init(_ all: Demotions) {
        self.all = all
    }

    /// A connection is there that has not logged in yet.
    ///
    /// - Returns: whether to ask the server for its role: the address may lead to the one that was left for a while
    ///   yet, which lets everybody in.
    mutating func begin() -> Bool {
        fault = nil
        countBefore = all.count
        return countBefore > 0
    }

    /// Hears an answer; when this returns, no other connection of the client writes to a server of that time.
    ///
    /// - Returns: whether it is news that the server is a replica.
    mutating func hear(_ refusal: RedisServerError?) -> Bool {
        guard fault == nil, let refusal, refusal.isOfReplica else { return false }
        fault = RedisError(.connection, refusal.message)
        all.note(after: countBefore)
        return true
    }

    /// Looks whether another connection was refused since this one was made.
    ///
    /// - Returns: whether it is news that the server may be a replica.
    mutating func follow() -> Bool {
        guard fault == nil, countBefore != all.count else { return false }
        fault = RedisError(.connection, "READONLY was said to another connection of this client")
        return true
    }

    /// The server has said by itself that it is a replica.
    ///
    /// - Returns: why it is left.
    mutating func meetReplica() -> RedisError {
        let fault = RedisError(.connection, "READONLY: the server is a replica")
        self.fault = fault
        return fault
    }

    /// The connection is gone.
    ///
    /// - Returns: whether it was left as its server takes no writes.
    mutating func end() -> Bool {
        defer { fault = nil }
        return fault != nil
    }
}
