import Synchronization

/// Counts a client's sessions, and keeps since when it has been opening others.
final class SessionCensus: Sendable {
    private struct State {
        var open = 0
        var opening: [Int: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())

    /// Notes that a connection begins to open a session.
    func noteOpening(_ connection: Int, at now: ContinuousClock.Instant = .now) {
        state.withLock { $0.opening[connection] = now }
    }

    /// Notes that the connection has opened its session, or has failed to.
    func noteEnd(_ connection: Int) {
        state.withLock { _ = $0.opening.removeValue(forKey: connection) }
    }

    /// Notes whether a connection has a session now, and whether it had one before.
    func note(hasSession: Bool, had: Bool) {
        state.withLock { $0.open += (hasSession ? 1 : 0) - (had ? 1 : 0) }
    }

    /// How many sessions there are.
    var count: Int { state.withLock { $0.open } }

    /// Whether there is no session.
    var isEmpty: Bool { count == 0 }

    /// Whether there is no session, and opening one already takes longer than it may.
    func isHanging(after limit: Duration, now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            guard state.open == 0, let oldest = state.opening.values.min() else { return false }
            return oldest.duration(to: now) > limit
        }
    }
}
