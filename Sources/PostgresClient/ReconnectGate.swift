import Backoff
import Logging
import Synchronization

/// Spaces out connection attempts while the server is away, for all connections of a client together.
///
/// After a failure, no attempt is made for the length of the backoff, and then one at a time: that one waits, and all
/// other calls fail at once instead of waiting for a server that is known to be away. After a session's silence, too,
/// there is one attempt at a time. Changes are logged, not every attempt.
final class ReconnectGate: Sendable {
    private struct State {
        var failures = 0
        var retryAt: ContinuousClock.Instant?
        /// Whether an attempt is under way that decides for all.
        var isTrying = false
        /// When the server last answered, on any session.
        var answeredAt: ContinuousClock.Instant?
    }

    private let backoff: Backoff
    private let logger: Logger
    private let jitter: @Sendable () -> Double
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    /// The server that accepted last, moved on by each failed attempt since.
    private let turned = Atomic(0)

    /// Makes a gate that is open; `jitter` gives uniform numbers from 0 to 1.
    init(
        backoff: Backoff, logger: Logger,
        jitter: @escaping @Sendable () -> Double,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.backoff = backoff
        self.logger = logger
        self.jitter = jitter
        self.now = now
    }

    /// The server, counted cyclically, with which the next attempt begins; a failed attempt moves it on.
    var turn: Int { turned.load(ordering: .relaxed) }

    /// Notes which server accepted an attempt that began with another one: the next session begins with it.
    ///
    /// When several sessions find the same servers wanting at once, only one of them moves the turn.
    func noteTurn(_ next: Int, from turn: Int) {
        _ = turned.compareExchange(expected: turn, desired: next, ordering: .relaxed)
    }

    /// Throws while attempts are paused, or while another one is under way to a server that is away.
    ///
    /// A caller that passes must call ``noteSuccess()``, ``noteFailure(_:)`` or ``noteUndecided()``.
    func pass() throws(PostgresError) {
        let isPaused = state.withLock { state in
            guard let retryAt = state.retryAt else { return false }
            if state.isTrying || now() < retryAt { return true }
            state.isTrying = true
            return false
        }
        if isPaused { throw PostgresError(.connection, "the server is away; the next attempt comes shortly") }
    }

    /// Notes that a connection was made.
    func noteSuccess() {
        let failures = state.withLock { state in
            defer { state = State(answeredAt: now()) }
            return state.failures
        }
        if failures > 0 { logger.notice("postgres is back", metadata: ["attempts": "\(failures)"]) }
    }

    /// Notes that a session had an answer of any kind.
    func noteAnswer() {
        state.withLock { $0.answeredAt = now() }
    }

    /// Notes that a session was abandoned without an answer: one attempt finds out for all whether the server answers.
    ///
    /// This has no pause and no log line. It does not apply if any session had an answer since the statement began:
    /// then only that statement hangs.
    func noteSilence(since began: ContinuousClock.Instant) {
        state.withLock { state in
            if let answeredAt = state.answeredAt, answeredAt > began { return }
            state.retryAt = state.retryAt ?? now()
        }
    }

    /// Notes that an attempt had too little time to tell whether the server is there: the next one finds out for all.
    func noteUndecided() {
        state.withLock { state in
            state.isTrying = false
            state.retryAt = state.retryAt ?? now()
        }
    }

    /// Notes that a connection could not be made.
    func noteFailure(_ error: PostgresError) {
        turned.wrappingAdd(1, ordering: .relaxed)
        let isFirst = state.withLock { state in
            state.failures += 1
            state.isTrying = false
            state.retryAt = now() + backoff.delay(attempt: state.failures, chance: jitter())
            return state.failures == 1
        }
        if isFirst { logger.error("postgres is away", metadata: ["fault": "\(error)"]) }
    }
}
