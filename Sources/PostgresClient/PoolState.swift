/// Who has which connection and who waits: decisions only, the pool performs them.
///
/// Every connection is idle, leased, or not made yet; never more than `connectionsMax` exist. Waiters are served in the
/// order in which they came, and nobody overtakes them: while one waits, no connection is idle.
struct PoolState<Connection, Waiter> {
    /// What becomes of a call for a connection.
    enum Acquisition {
        /// Take this one.
        case use(Connection)
        /// Make one; it is counted already.
        case make(number: Int)
        /// All are leased.
        case wait
        /// Too many wait already.
        case refuse
        /// The pool is closed.
        case closed
    }

    private let connectionsMax: Int
    private let waitersMax: Int
    private var idle: [Connection] = []
    private var made = 0
    private var waiters: [(id: UInt64, waiter: Waiter)] = []
    private var lastID: UInt64 = 0
    /// Waiters that are not in line yet, and whose time may be over before they are.
    private var coming: Set<UInt64> = []
    private(set) var isClosed = false

    init(connectionsMax: Int, waitersMax: Int) {
        precondition(connectionsMax > 0 && waitersMax >= 0, "a pool without connections")
        self.connectionsMax = connectionsMax
        self.waitersMax = waitersMax
    }

    var status: PostgresPoolStatus {
        PostgresPoolStatus(leased: made - idle.count, idle: idle.count, waiting: waiters.count)
    }

    mutating func acquire() -> Acquisition {
        if isClosed { return .closed }
        if let connection = idle.popLast() { return .use(connection) }
        if made < connectionsMax {
            made += 1
            return .make(number: made)
        }
        return waiters.count < waitersMax ? .wait : .refuse
    }

    /// An id for a waiter that is about to be added.
    mutating func nextID() -> UInt64 {
        lastID += 1
        coming.insert(lastID)
        return lastID
    }

    /// Puts a waiter in line, unless it was taken out before: says whether it is there.
    mutating func add(_ waiter: Waiter, id: UInt64) -> Bool {
        guard coming.remove(id) != nil else { return false }
        waiters.append((id, waiter))
        return true
    }

    /// Takes a waiter out of the line; `nil` when it was served already, or is not there yet.
    mutating func remove(_ id: UInt64) -> Waiter? {
        coming.remove(id)
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    /// Takes a connection back; the waiter that gets it next, if there is one.
    /// - Parameter isOpen: Whether it has a session. One that has not is lent when nothing else is left.
    mutating func release(_ connection: Connection, isOpen: Bool) -> Waiter? {
        if !waiters.isEmpty { return waiters.removeFirst().waiter }
        if isClosed {
            made -= 1
        } else {
            idle.insert(connection, at: isOpen ? idle.count : 0)
        }
        return nil
    }

    /// Ends everything: the idle connections to close and the waiters to turn away.
    ///
    /// Leased ones end on release.
    mutating func close() -> (idle: [Connection], waiters: [Waiter]) {
        isClosed = true
        defer {
            made -= idle.count
            idle = []
            waiters = []
        }
        return (idle, waiters.map(\.waiter))
    }
}

/// How busy a client's connections are, for metrics.
package struct PostgresPoolStatus: Sendable, Equatable {
    /// Connections at work.
    package var leased: Int
    /// Connections at rest.
    package var idle: Int
    /// Calls that wait for a connection.
    package var waiting: Int

    /// Memberwise.
    package init(leased: Int, idle: Int, waiting: Int) {
        self.leased = leased
        self.idle = idle
        self.waiting = waiting
    }
}
