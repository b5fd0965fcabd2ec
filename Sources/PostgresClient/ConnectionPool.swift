import HostNames
import Waiting

/// Lends connections, at most `connectionsMax` at a time, first come first served.
///
/// A connection without a session is lent only when no other idle one is left. If it cannot open one, the call waits for
/// one of the sessions that there are: the server may have reached its limit of connections, and is not away.
final class ConnectionPool: Sendable {
    private let configuration: PostgresConfiguration
    private let gate: ReconnectGate
    private let census: SessionCensus
    /// Whose database the sessions must be with.
    let installation: RequiredInstallation
    private let turnstile: Turnstile
    /// By the number of a place: whoever has the place has the connection.
    private let connections: [PostgresConnection]

    init(_ configuration: PostgresConfiguration, gate: ReconnectGate, names: HostNames) {
        self.configuration = configuration
        self.gate = gate
        turnstile = Turnstile(placesMax: configuration.connectionsMax, waitersMax: configuration.waitersMax)
        let opener = SessionOpener(configuration: configuration, names: names)
        let abandoned = AbandonedSessions(limit: 2 * configuration.connectionsMax)
        let census = SessionCensus()
        self.census = census
        let installation = RequiredInstallation()
        self.installation = installation
        connections = (1...configuration.connectionsMax).map { number in
            PostgresConnection(
                opener, gate: gate, abandoned: abandoned, census: census, installation: installation, number: number)
        }
    }

    var status: PostgresPoolStatus {
        let status = turnstile.status
        // A connection that is lent may have no session yet, and a place that was given back may have none any more.
        let idle = max(0, census.count - status.taken)
        return PostgresPoolStatus(leased: status.taken, idle: idle, waiting: status.waiting)
    }

    /// Whether there is no session and connecting takes too long: then a full pool is no sign of life.
    var isHanging: Bool { census.isHanging(after: configuration.connectTimeout) }

    /// Lends a connection for the length of a body, which is given its deadline to connect.
    ///
    /// The body begins anew with another connection when it throws ``LoanFault/unopened(_:)``.
    /// - Parameter timeout: How long to wait for it; the configuration's time by default.
    func withConnection<Value>(
        within timeout: Duration? = nil,
        _ body: (PostgresConnection, ContinuousClock.Instant) async throws(LoanFault) -> sending Value
    ) async throws(PostgresError) -> sending Value {
        let began = ContinuousClock.now
        let connectBy = began + configuration.reachTimeout
        let acquireBy = began + (timeout ?? configuration.acquireTimeout)
        var place = try await acquire(by: acquireBy)
        while true {
            let connection = connections[place.number]
            do throws(LoanFault) {
                let value = try await body(connection, connectBy)
                await release(place, isOpen: true)
                return value
            } catch {
                await release(place, isOpen: connection.isOpen)
                switch error {
                case .failed(let fault): throw fault
                case .unopened(let fault):
                    place = try await acquireOther(by: min(acquireBy, connectBy), since: began, insteadOf: fault)
                }
            }
        }
    }

    func close() async {
        for place in turnstile.close() { await connections[place.number].close() }
    }

    private func acquire(by deadline: ContinuousClock.Instant) async throws(PostgresError) -> Turnstile.Place {
        do throws(Turnstile.Refusal) {
            return try await enter(by: deadline)
        } catch {
            throw PostgresError(error)
        }
    }

    /// Waits for a connection that has a session, and once another attempt to connect may be made, for any.
    ///
    /// Those who have sessions may keep them for longer than the server refuses another: the reconciler's lock has one,
    /// and what is done under it needs the other.
    /// - Parameters:
    ///   - began: When the call came.
    ///   - fault: Why another connection could not open one: thrown if no session is left, or if the wait is over and
    ///     none has answered since the call came, so that nothing shows that the server is there.
    private func acquireOther(
        by deadline: ContinuousClock.Instant, since began: ContinuousClock.Instant, insteadOf fault: PostgresError
    ) async throws(PostgresError) -> Turnstile.Place {
        guard !census.isEmpty else { throw fault }
        do throws(Turnstile.Refusal) {
            let now = ContinuousClock.now
            guard now < deadline else { throw .late }
            do throws(Turnstile.Refusal) {
                return try await enter(by: min(deadline, gate.pausedUntil ?? now), isPreferredOnly: true)
            } catch {
                guard error == .late else { throw error }
                return try await enter(by: deadline)
            }
        } catch {
            throw error == .late && !gate.hasAnswered(since: began) ? fault : PostgresError(error)
        }
    }

    private func enter(
        by deadline: ContinuousClock.Instant, isPreferredOnly: Bool = false
    ) async throws(Turnstile.Refusal) -> Turnstile.Place {
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        return try await turnstile.enter(within: left, isPreferredOnly: isPreferredOnly)
    }

    private func release(_ place: Turnstile.Place, isOpen: Bool) async {
        // Where no session is left, calls that wait for one would wait in vain: the next one gets this place and connects.
        let isClosed = turnstile.leave(place, isPreferred: isOpen || census.isEmpty)
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

/// Why a call that was lent a connection failed.
enum LoanFault: Error {
    /// The connection has no session and could not open one: nothing was done.
    case unopened(PostgresError)
    /// The connection had a session; what was to be done with it has failed.
    case failed(PostgresError)
}
