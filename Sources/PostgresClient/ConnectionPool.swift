import HostNames
import Turnstile

/// Lends connections, at most `connectionsMax` at a time, first come first served.
///
/// A connection without a session is lent only when no other idle one is left.
final class ConnectionPool: Sendable {
    private let configuration: PostgresConfiguration
    private let census: SessionCensus
    private let turnstile: Turnstile
    /// By the number of a place: whoever has the place has the connection.
    private let connections: [PostgresConnection]

    init(_ configuration: PostgresConfiguration, gate: ReconnectGate, names: HostNames) {
        self.configuration = configuration
        turnstile = Turnstile(placesMax: configuration.connectionsMax, waitersMax: configuration.waitersMax)
        let opener = SessionOpener(configuration: configuration, names: names)
        let abandoned = AbandonedSessions(limit: 2 * configuration.connectionsMax)
        let census = SessionCensus()
        self.census = census
        connections = (1...configuration.connectionsMax).map { number in
            PostgresConnection(opener, gate: gate, abandoned: abandoned, census: census, number: number)
        }
    }

    var status: PostgresPoolStatus {
        let status = turnstile.status
        return PostgresPoolStatus(leased: status.taken, idle: status.idle, waiting: status.waiting)
    }

    /// Whether there is no session and connecting takes too long: then a full pool is no sign of life.
    var isHanging: Bool { census.isHanging(after: configuration.connectTimeout) }

    /// Lends a connection for the length of a body, which is given its deadline to connect.
    /// - Parameter timeout: How long to wait for it; the configuration's time by default.
    func withConnection<Value>(
        within timeout: Duration? = nil,
        _ body: (PostgresConnection, ContinuousClock.Instant) async throws(PostgresError) -> sending Value
    ) async throws(PostgresError) -> sending Value {
        let connectBy = ContinuousClock.now + configuration.reachTimeout
        let place = try await acquire(within: timeout ?? configuration.acquireTimeout)
        let connection = connections[place.number]
        do throws(PostgresError) {
            let value = try await body(connection, connectBy)
            await release(place, isOpen: true)
            return value
        } catch {
            await release(place, isOpen: connection.isOpen)
            throw error
        }
    }

    func close() async {
        for place in turnstile.close() { await connections[place.number].close() }
    }

    private func acquire(within timeout: Duration) async throws(PostgresError) -> Turnstile.Place {
        do throws(Turnstile.Refusal) {
            return try await turnstile.enter(within: timeout)
        } catch {
            throw PostgresError(error)
        }
    }

    private func release(_ place: Turnstile.Place, isOpen: Bool) async {
        let isClosed = turnstile.leave(place, isPreferred: isOpen)
        if isClosed { await connections[place.number].close() }
    }
}

extension PostgresError {
    /// Why a call got no connection.
    fileprivate init(_ refusal: Turnstile.Refusal) {
        switch refusal {
        case .full: self.init(.poolExhausted, "too many calls wait for a connection")
        case .late: self.init(.poolExhausted, "no connection became free in time")
        case .cancelled: self.init(.cancelled, "cancelled while waiting for a connection")
        case .closed: self.init(.closed, "the client is shut down")
        }
    }
}
