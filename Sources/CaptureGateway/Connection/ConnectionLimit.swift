import Synchronization

/// How many connections a gateway has at once, and who gives way when there are as many as may be.
///
/// A new connection takes the place of the one that has been waiting for its client for longest, for a request or for
/// an answer to be taken: whoever opens many and says nothing, sends heads byte by byte, or reads nothing, loses the
/// oldest of them and keeps nobody out. When every connection has a request under way the new one is answered with 503;
/// a few of those at a time, the others are closed without a word.
final class ConnectionLimit: Sendable {
    /// What becomes of a new connection.
    enum Admission: Sendable, Equatable {
        /// It is served.
        case admitted
        /// It is told that there are too many.
        case refused
        /// It is closed at once.
        case dropped
    }

    /// A connection among the others.
    struct Place: Sendable {
        let number: Int
        let admission: Admission
    }

    fileprivate struct Connection {
        let close: @Sendable () -> Void
        /// When it began to wait for its client, counted in such events; `nil` while it has a request to work on.
        var idleSince: Int?
    }

    fileprivate struct State {
        var admitted: [Int: Connection] = [:]
        /// Every event in which a connection began to wait, oldest first; those that are over are passed over.
        var idle: ArraySlice<(number: Int, event: Int)> = []
        var refused = 0
        var lastNumber = 0
        var lastEvent = 0
    }

    private let connectionsMax: Int
    private let refusedMax: Int
    private let state = Mutex(State())

    init(connectionsMax: Int) {
        self.connectionsMax = connectionsMax
        refusedMax = max(16, connectionsMax / 16)
    }

    /// Connections that are served now.
    var count: Int { state.withLock { $0.admitted.count } }

    /// Takes a new connection in; it waits for its first request.
    /// - Parameter close: Closes it when it has to give way; called from any thread.
    func enter(close: @escaping @Sendable () -> Void) -> Place {
        let (place, evicted) = state.withLock { state -> (Place, Connection?) in
            state.lastNumber += 1
            let number = state.lastNumber
            var evicted: Connection?
            if state.admitted.count >= connectionsMax {
                evicted = state.takeLongestIdle()
                guard evicted != nil else {
                    guard state.refused < refusedMax else { return (Place(number: number, admission: .dropped), nil) }
                    state.refused += 1
                    return (Place(number: number, admission: .refused), nil)
                }
            }
            state.admitted[number] = Connection(close: close)
            state.beginIdle(number, compactBeyond: 2 * connectionsMax)
            return (Place(number: number, admission: .admitted), evicted)
        }
        evicted?.close()
        return place
    }

    /// Notes whether a connection waits for its client.
    func note(_ place: Place, isIdle: Bool) {
        guard place.admission == .admitted else { return }
        state.withLock { state in
            guard let connection = state.admitted[place.number] else { return }
            if !isIdle {
                state.admitted[place.number]?.idleSince = nil
            } else if connection.idleSince == nil {
                state.beginIdle(place.number, compactBeyond: 2 * connectionsMax)
            }
        }
    }

    /// A connection is closed.
    func leave(_ place: Place) {
        state.withLock { state in
            switch place.admission {
            case .admitted: state.admitted[place.number] = nil
            case .refused: state.refused -= 1
            case .dropped: break
            }
        }
    }
}

extension ConnectionLimit.State {
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
