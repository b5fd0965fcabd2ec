/// The state of a pool: which connections are leased and which calls wait; the pool carries its decisions out.
///
/// Every connection is idle, leased, or not made yet; at most `connectionsMax` exist. Waiters are served in the order
/// in which they came, without overtaking: while one waits, no connection is idle.
struct PoolState<Connection, Waiter> {
    /// The answer to a call for a connection.
    enum Acquisition {
        /// Take this one.
        case use(Connection)
        /// Make a new one, which is counted already.
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
    /// Waiters that are not in line yet; their time may be over before they are.
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

    /// Puts a waiter in line, unless it was removed before; returns whether it is in line.
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

    /// Takes a connection back; returns the waiter that gets it next, if there is one.
    /// - Parameter isOpen: Whether it has a session. A connection without one is lent only when nothing else is left.
    mutating func release(_ connection: Connection, isOpen: Bool) -> Waiter? {
        if !waiters.isEmpty { return waiters.removeFirst().waiter }
        if isClosed {
            made -= 1
        } else {
            idle.insert(connection, at: isOpen ? idle.count : 0)
        }
        return nil
    }

    /// Closes the pool; returns the idle connections to close and the waiters to turn away.
    ///
    /// Leased connections are closed when they are released.
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
    /// Connections in use.
    package let leased: Int
    /// Idle connections.
    package let idle: Int
    /// Calls that wait for a connection.
    package let waiting: Int

    /// Memberwise.
    package init(leased: Int, idle: Int, waiting: Int) {
        self.leased = leased
        self.idle = idle
        self.waiting = waiting
    }
}
