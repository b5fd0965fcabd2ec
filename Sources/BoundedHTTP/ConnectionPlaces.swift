package import NIOCore
import Synchronization

/// The connections that a port takes at once: one more takes the place of the one that has waited for its client for
/// longest.
///
/// So whoever opens many and says nothing, sends heads byte by byte, or takes no answers, keeps nobody out. Only while
/// all of them are being answered is a new one closed.
package final class ConnectionPlaces: Sendable {
    private struct Connection {
        let close: @Sendable () -> Void
        /// The number of the event by which it became idle; `nil` while it is being answered.
        var idleSince: Int?
    }

    private struct State {
        var open: [Int: Connection] = [:]
        var lastEvent = 0

        mutating func nextEvent() -> Int {
            lastEvent += 1
            return lastEvent
        }
    }

    private let connectionsMax: Int
    private let state = Mutex(State())

    /// - Parameter connectionsMax: How many there may be; some dozens, as all of them are looked at.
    package init(connectionsMax: Int) {
        self.connectionsMax = connectionsMax
    }

    /// Makes what a connection has behind its parser.
    package func makeHandler() -> any ChannelHandler { PlacedConnection(self) }

    /// Takes a new connection in; it waits for its first request.
    /// - Parameter close: Closes it when it has to give way; called from any thread.
    /// - Returns: Its number; `nil` if there is no place for it.
    func enter(_ close: @escaping @Sendable () -> Void) -> Int? {
        let (number, evicted) = state.withLock { state -> (Int?, Connection?) in
            var evicted: Connection?
            if state.open.count >= connectionsMax {
                var longest: (number: Int, since: Int)?
                for (number, connection) in state.open {
                    guard let since = connection.idleSince, since < longest?.since ?? Int.max else { continue }
                    longest = (number, since)
                }
                guard let longest else { return (nil, nil) }
                evicted = state.open.removeValue(forKey: longest.number)
            }
            let number = state.nextEvent()
            state.open[number] = Connection(close: close, idleSince: number)
            return (number, evicted)
        }
        evicted?.close()
        return number
    }

    /// Notes whether a connection waits for its client.
    func note(_ number: Int, isIdle: Bool) {
        state.withLock { state in
            guard let connection = state.open[number], (connection.idleSince != nil) != isIdle else { return }
            let event = state.nextEvent()
            state.open[number]?.idleSince = isIdle ? event : nil
        }
    }

    /// A connection is closed.
    func leave(_ number: Int) {
        state.withLock { _ = $0.open.removeValue(forKey: number) }
    }
}
