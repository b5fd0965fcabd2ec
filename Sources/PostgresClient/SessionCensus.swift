import Synchronization

/// How many sessions a client has, and since when it opens others.
final class SessionCensus: Sendable {
    private struct State {
        var open = 0
        var opening: [Int: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())

    /// A connection begins to open a session.
    func noteOpening(_ connection: Int, at now: ContinuousClock.Instant = .now) {
        state.withLock { $0.opening[connection] = now }
    }

    /// It has one, or has failed.
    func noteEnd(_ connection: Int) {
        state.withLock { _ = $0.opening.removeValue(forKey: connection) }
    }

    /// A connection has a session now or not, and had one before or not.
    func note(hasSession: Bool, had: Bool) {
        state.withLock { $0.open += (hasSession ? 1 : 0) - (had ? 1 : 0) }
    }

    /// Whether there is no session, and one is being opened for longer than it may take.
    func isHanging(after limit: Duration, now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            guard state.open == 0, let oldest = state.opening.values.min() else { return false }
            return oldest.duration(to: now) > limit
        }
    }
}
