import HostNames
import Synchronization

/// Lends connections, at most `connectionsMax` at a time, first come first served.
final class ConnectionPool: Sendable {
    private typealias Answer = Result<PostgresConnection, PostgresError>
    private typealias Waiter = CheckedContinuation<Answer, Never>
    private typealias State = PoolState<PostgresConnection, Waiter>

    private let configuration: PostgresConfiguration
    private let gate: ReconnectGate
    private let abandoned: AbandonedSessions
    private let opener: SessionOpener
    private let census = SessionCensus()
    private let clock: any Clock<Duration>
    private let state: Mutex<State>

    init(
        _ configuration: PostgresConfiguration, gate: ReconnectGate, names: HostNames, clock: any Clock<Duration>
    ) {
        self.configuration = configuration
        opener = SessionOpener(configuration: configuration, names: names)
        self.gate = gate
        abandoned = AbandonedSessions(limit: 2 * configuration.connectionsMax)
        self.clock = clock
        self.state = Mutex(
            State(connectionsMax: configuration.connectionsMax, waitersMax: configuration.waitersMax))
    }

    var status: PostgresPoolStatus { state.withLock { $0.status } }

    /// Whether there is no session and connecting takes too long: then a full pool is no sign of life.
    var isHanging: Bool { census.isHanging(after: configuration.connectTimeout) }

    /// Lends a connection for the length of a body, which is given its deadline to connect.
    /// - Parameter timeout: How long to wait for it; the configuration's time by default.
    func withConnection<Value>(
        within timeout: Duration? = nil,
        _ body: (PostgresConnection, ContinuousClock.Instant) async throws(PostgresError) -> sending Value
    ) async throws(PostgresError) -> sending Value {
        let connectBy = ContinuousClock.now + configuration.reachTimeout
        let connection = try await acquire(within: timeout ?? configuration.acquireTimeout)
        do throws(PostgresError) {
            let value = try await body(connection, connectBy)
            await release(connection, isOpen: true)
            return value
        } catch {
            await release(connection, isOpen: connection.isOpen)
            throw error
        }
    }

    func close() async {
        let (idle, waiters) = state.withLock { $0.close() }
        for waiter in waiters { waiter.resume(returning: .failure(Self.closed)) }
        for connection in idle { await connection.close() }
    }

    private func acquire(within timeout: Duration) async throws(PostgresError) -> PostgresConnection {
        switch state.withLock({ $0.acquire() }) {
        case .use(let connection): connection
        case .make(let number): make(number)
        case .wait: try await wait(for: timeout).get()
        case .refuse: throw PostgresError(.poolExhausted, "too many calls wait for a connection")
        case .closed: throw Self.closed
        }
    }

    private func make(_ number: Int) -> PostgresConnection {
        PostgresConnection(opener, gate: gate, abandoned: abandoned, census: census, number: number)
    }

    private func release(_ connection: PostgresConnection, isOpen: Bool) async {
        let (waiter, isClosed) = state.withLock { ($0.release(connection, isOpen: isOpen), $0.isClosed) }
        waiter?.resume(returning: .success(connection))
        if isClosed { await connection.close() }
    }

    /// Waits in line until a connection is free, the time is over or the task is cancelled.
    private func wait(for timeout: Duration) async -> Answer {
        let id = state.withLock { $0.nextID() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.turnAway(id, after: timeout) }
            let answer = await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in self.line(up: waiter, id: id) }
            } onCancel: {
                self.resume(id, Self.cancelled)
            }
            group.cancelAll()
            // The waiter may have been served before it was in line.
            _ = state.withLock { $0.remove(id) }
            return answer
        }
    }

    /// Asks again, since a connection may have become free meanwhile, and lines up if there is none.
    private func line(up waiter: Waiter, id: UInt64) {
        let answer: Answer? = state.withLock { state in
            switch state.acquire() {
            case .use(let connection): return .success(connection)
            case .make(let number): return .success(make(number))
            case .refuse: return .failure(PostgresError(.poolExhausted, "too many calls wait for a connection"))
            case .closed: return .failure(Self.closed)
            case .wait:
                if state.add(waiter, id: id) { return nil }
                // The waiter was turned away before it was in line.
                return .failure(Task.isCancelled ? Self.cancelled : Self.late)
            }
        }
        if let answer { waiter.resume(returning: answer) }
    }

    private func turnAway(_ id: UInt64, after timeout: Duration) async {
        do {
            try await clock.sleep(for: timeout)
        } catch {
            // The waiter was served, or its caller was cancelled and turns it away by its own handler.
            return
        }
        resume(id, Self.late)
    }

    private func resume(_ id: UInt64, _ error: PostgresError) {
        state.withLock { $0.remove(id) }?.resume(returning: .failure(error))
    }

    private static let closed = PostgresError(.closed, "the client is shut down")
    private static let cancelled = PostgresError(.cancelled, "cancelled while waiting for a connection")
    private static let late = PostgresError(.poolExhausted, "no connection became free in time")
}
