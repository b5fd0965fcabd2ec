import Synchronization

/// How many connections a gateway has at once, and who gives way when there are as many as may be.
///
/// A new connection takes the place of the one that has been waiting for its client for longest, for a request or for
/// an answer to be taken: whoever opens many and says nothing, sends heads byte by byte, or reads nothing, loses the
/// oldest of them and keeps nobody out. When every connection has a request under way the new one is answered with 503;
/// a few of those at a time, the others are closed without a word.
///
/// A client may have three times as many requests under way as there are free places, and at least one: alone, it gets
/// three quarters of the places; see ``BodyBudget``. A client at this limit is refused as if no place were free, on new
/// connections and on idle ones; other clients are not. Idle connections do not count: they give way.
final class ConnectionLimit: Sendable {
    /// What becomes of a new connection.
    enum Admission: Sendable, Equatable {
        /// It is served.
        case admitted
        /// It is told that there are too many.
        case refused
        /// It is closed at once.
        case dropped
        /// There is a place, and its client has its share already; it is told so, or closed at once.
        case overShare(isTold: Bool)
    }

    /// A connection among the others.
    struct Place: Sendable {
        let number: Int
        let admission: Admission
    }

    fileprivate struct Connection {
        let client: String?
        let close: @Sendable () -> Void
        /// The number of the event by which it became idle; `nil` while a request is under way.
        var idleSince: Int?
    }

    fileprivate struct State {
        var admitted: [Int: Connection] = [:]
        /// Every event in which a connection became idle, oldest first; those that no longer hold are skipped.
        var idle: ArraySlice<(number: Int, event: Int)> = []
        /// The number of connections with a request under way.
        var busy = 0
        /// The same by client, of the connections that count for one; a client without any has no entry.
        var busyByClient: [String: Int] = [:]
        var refused = 0
        var lastNumber = 0
        var lastEvent = 0
    }

    /// The most that are served.
    let connectionsMax: Int
    private let refusedMax: Int
    private let state = Mutex(State())

    init(connectionsMax: Int) {
        self.connectionsMax = connectionsMax
        refusedMax = max(16, connectionsMax / 16)
    }

    /// Connections that are served now.
    var count: Int { state.withLock { $0.admitted.count } }

    /// Takes a new connection in; it waits for its first request.
    /// - Parameters:
    ///   - client: Whom it counts for; `nil` for a trusted proxy, which speaks for many.
    ///   - close: Closes it when it has to give way; called from any thread.
    func enter(client: String?, close: @escaping @Sendable () -> Void) -> Place {
        let (place, evicted) = state.withLock { state -> (Place, Connection?) in
            state.lastNumber += 1
            let number = state.lastNumber
            let isWithinShare = state.mayWork(client, among: connectionsMax)
            var evicted: Connection?
            if isWithinShare, state.admitted.count >= connectionsMax { evicted = state.takeLongestIdle() }
            guard isWithinShare, state.admitted.count < connectionsMax else {
                let isTold = state.refused < refusedMax
                if isTold { state.refused += 1 }
                let isFull = state.busy >= connectionsMax
                let refusal: Admission = isFull ? (isTold ? .refused : .dropped) : .overShare(isTold: isTold)
                return (Place(number: number, admission: refusal), nil)
            }
            state.admitted[number] = Connection(client: client, close: close)
            state.beginIdle(number, compactBeyond: 2 * connectionsMax)
            return (Place(number: number, admission: .admitted), evicted)
        }
        evicted?.close()
        return place
    }

    /// Notes whether a connection waits for its client.
    /// - Returns: `false` when the connection still counts as idle, and so gives way, because its client has as many
    ///   requests under way as it may have.
    @discardableResult func note(_ place: Place, isIdle: Bool) -> Bool {
        guard place.admission == .admitted else { return true }
        return state.withLock { state -> Bool in
            guard let connection = state.admitted[place.number] else { return true }
            let wasIdle = connection.idleSince != nil
            if isIdle, !wasIdle {
                state.endWork(of: connection.client)
                state.beginIdle(place.number, compactBeyond: 2 * connectionsMax)
            } else if !isIdle, wasIdle {
                guard state.mayWork(connection.client, among: connectionsMax) else { return false }
                state.admitted[place.number]?.idleSince = nil
                state.beginWork(of: connection.client)
            }
            return true
        }
    }

    /// A connection is closed.
    func leave(_ place: Place) {
        state.withLock { state in
            switch place.admission {
            case .admitted:
                guard let connection = state.admitted.removeValue(forKey: place.number) else { return }
                if connection.idleSince == nil { state.endWork(of: connection.client) }
            case .refused, .overShare(isTold: true): state.refused -= 1
            case .dropped, .overShare(isTold: false): break
            }
        }
    }
}

extension ConnectionLimit.State {
    /// Whether a client may have one more request under way.
    fileprivate func mayWork(_ client: String?, among connectionsMax: Int) -> Bool {
        guard let client else { return true }
        let free = connectionsMax - busy - 1
        return busyByClient[client, default: 0] < max(1, free * BodyBudget.shareOfFree)
    }

    fileprivate mutating func beginWork(of client: String?) {
        busy += 1
        if let client { busyByClient[client, default: 0] += 1 }
    }

    fileprivate mutating func endWork(of client: String?) {
        busy -= 1
        guard let client, let count = busyByClient[client] else { return }
        busyByClient[client] = count > 1 ? count - 1 : nil
    }

    fileprivate mutating func beginIdle(_ number: Int, compactBeyond limit: Int) {
        lastEvent += 1
        admitted[number]?.idleSince = lastEvent
        if idle.count >= limit { idle = idle.filter { admitted[$0.number]?.idleSince == $0.event }[...] }
        idle.append((number, lastEvent))
    }

    fileprivate mutating func takeLongestIdle() -> ConnectionLimit.Connection? {
        while let first = idle.popFirst() {
            guard let connection = admitted[first.number], connection.idleSince == first.event else { continue }
            admitted[first.number] = nil
            return connection
        }
        return nil
    }
}
