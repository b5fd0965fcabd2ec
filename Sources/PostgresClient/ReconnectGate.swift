import Backoff
import Logging
import Synchronization

/// Spaces out connection attempts while the server is away, for all connections of a client together.
///
/// After a failure no attempt is made for as long as the backoff says, and then one at a time: calls fail at once
/// instead of waiting for a server that is known to be away, one of them excepted. After a session's silence one at a
/// time as well. The change is logged, not every attempt.
final class ReconnectGate: Sendable {
    private struct State {
        var failures = 0
        var retryAt: ContinuousClock.Instant?
        /// An attempt is under way that decides for all.
        var isTrying = false
        /// When the server has answered last, on any session.
        var answeredAt: ContinuousClock.Instant?
    }

    private let backoff: Backoff
    private let logger: Logger
    private let jitter: @Sendable () -> Double
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    /// Failed attempts since the start, and servers that were passed over by those that did not fail.
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

    /// Where the next attempt begins, counted round, where there are several servers: a failed one moves it on.
    var turn: Int { turned.load(ordering: .relaxed) }

    /// Some servers said nothing or would not have us: the next session begins with the one that did.
    ///
    /// When several sessions find so at the same time, one of them moves the turn.
    func notePassedOver(_ count: Int, from turn: Int) {
        _ = turned.compareExchange(expected: turn, desired: turn &+ count, ordering: .relaxed)
    }

    /// Throws while attempts are paused, or another one is under way to a server that is away.
    ///
    /// Whoever passes tells of ``noteSuccess()``, ``noteFailure(_:)`` or ``noteUndecided()``.
    func pass() throws(PostgresError) {
        let isPaused = state.withLock { state in
            guard let retryAt = state.retryAt else { return false }
            if state.isTrying || now() < retryAt { return true }
            state.isTrying = true
            return false
        }
        if isPaused { throw PostgresError(.connection, "the server is away; the next attempt comes shortly") }
    }

    /// A connection was made.
    func noteSuccess() {
        let failures = state.withLock { state in
            defer { state = State(answeredAt: now()) }
            return state.failures
        }
        if failures > 0 { logger.notice("postgres is back", metadata: ["attempts": "\(failures)"]) }
    }

    /// A session had an answer, whatever it was.
    func noteAnswer() {
        state.withLock { $0.answeredAt = now() }
    }

    /// A session was given up as its statement had no answer: one attempt finds out for all whether the server has any.
    ///
    /// Without a pause, and without a word. Not where anybody else had an answer since the statement began: then it is
    /// that statement which hangs.
    func noteSilence(since began: ContinuousClock.Instant) {
        state.withLock { state in
            if let answeredAt = state.answeredAt, answeredAt > began { return }
            state.retryAt = state.retryAt ?? now()
        }
    }

    /// An attempt had too little time of its own to tell whether the server is there: the next one finds out for all.
    func noteUndecided() {
        state.withLock { state in
            state.isTrying = false
            state.retryAt = state.retryAt ?? now()
        }
    }

    /// A connection could not be made.
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
