import Logging
import Synchronization
import Waiting

/// Spaces out connection attempts while none succeeds, for all connections of a client together.
///
/// After a failure, no attempt is made for the length of the backoff, and calls fail at once, with the last fault: the
/// server is known to be away. Then there is one attempt at a time: the others wait for its end, though not for long, as
/// mostly the server is back. After a session's silence, too, there is one attempt at a time. Changes are logged, not
/// every attempt.
final class ReconnectGate: Sendable {
    /// An attempt that decides for all.
    private struct Attempt {
        let began: ContinuousClock.Instant
        let end = Latch()
    }

    private struct State {
        var failures = 0
        var retryAt: ContinuousClock.Instant?
        /// Why attempts are paused, or decide for all.
        var why = ""
        /// The one that is under way.
        var attempt: Attempt?
        /// When the server last answered, on any session.
        var answeredAt: ContinuousClock.Instant?
        /// When the last attempt failed; `nil` after one that did not.
        var failedAt: ContinuousClock.Instant?
        /// Whether the sessions that there are were answered since.
        var isShort = false

        /// From now on there is one attempt at a time, unless that is so already.
        mutating func decideForAll(from now: ContinuousClock.Instant, _ why: String) {
            guard retryAt == nil else { return }
            retryAt = now
            self.why = why
        }
    }

    /// What becomes of a call that wants to connect.
    private enum Entry {
        case passes
        case fails(why: String)
        case waits(for: Attempt, why: String)
    }

    private let backoff: Backoff
    private let logger: Logger
    private let chance: @Sendable () -> Double
    private let now: @Sendable () -> ContinuousClock.Instant
    private let attemptWait: Duration
    private let state = Mutex(State())
    /// The server that accepted last, moved on by each failed attempt since.
    private let turned = Atomic(0)

    /// Makes a gate that is open.
    /// - Parameters:
    ///   - chance: Random numbers from 0 to 1, uniform.
    ///   - attemptWait: How old an attempt may be that others wait for: a server that is there takes less to answer.
    init(
        backoff: Backoff, logger: Logger,
        chance: @escaping @Sendable () -> Double,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        attemptWait: Duration = .milliseconds(500)
    ) {
        self.backoff = backoff
        self.logger = logger
        self.chance = chance
        self.now = now
        self.attemptWait = attemptWait
    }

    /// The server, counted cyclically, with which the next attempt begins; a failed attempt moves it on.
    var turn: Int { turned.load(ordering: .relaxed) }

    /// Notes which server accepted an attempt that began with another one: the next session begins with it.
    ///
    /// When several sessions find the same servers wanting at once, only one of them moves the turn.
    func noteTurn(_ next: Int, from turn: Int) {
        _ = turned.compareExchange(expected: turn, desired: next, ordering: .relaxed)
    }

    /// Throws while attempts are paused, or while another one is under way that is not waited for any longer.
    ///
    /// A caller that passes must call ``noteSuccess()``, ``noteFailure(_:)`` or ``noteUndecided()``.
    /// - Parameter deadline: Until when an attempt under way is waited for at the most.
    /// - Throws: ``PostgresError/Code/connection`` with the last fault, or ``PostgresError/Code/cancelled``.
    func pass(by deadline: ContinuousClock.Instant) async throws(PostgresError) {
        while true {
            switch enter() {
            case .passes: return
            case .fails(let why): throw PostgresError(.connection, "\(why); the next attempt comes shortly")
            case .waits(let attempt, let why):
                let end = min(deadline, attempt.began + attemptWait)
                let left = now().duration(to: end)
                if left > .zero { await attempt.end.wait(for: left) }
                if attempt.end.isOpen { continue }
                if left > .zero, Task.isCancelled {
                    throw PostgresError(.cancelled, "cancelled while waiting for an attempt to connect")
                }
                throw PostgresError(.connection, "\(why); an attempt to connect is under way")
            }
        }
    }

    /// Until when an attempt cannot be made, or is not worth it as another one is under way; `nil` if none has failed.
    var pausedUntil: ContinuousClock.Instant? {
        state.withLock { $0.attempt == nil ? $0.retryAt : now() + attemptWait }
    }

    private func enter() -> Entry {
        state.withLock { state in
            guard let retryAt = state.retryAt else { return .passes }
            if let attempt = state.attempt { return .waits(for: attempt, why: state.why) }
            if now() < retryAt { return .fails(why: state.why) }
            state.attempt = Attempt(began: now())
            return .passes
        }
    }

    /// Notes that a connection was made.
    func noteSuccess() {
        let past = state.withLock { state in
            let past = state
            state = State(answeredAt: now())
            return past
        }
        past.attempt?.end.open()
        if past.isShort { logger.notice("PostgreSQL gives connections again") }
        guard past.failures > 0 else { return }
        logger.debug("a connection to PostgreSQL is made again", metadata: ["attempts": "\(past.failures)"])
    }

    /// Notes that a session had an answer of any kind to a statement that began then.
    ///
    /// If the last attempt to connect had failed by then, the server is there and gives no more connections.
    func noteAnswer(since began: ContinuousClock.Instant) {
        let fault: String? = state.withLock { state in
            state.answeredAt = now()
            guard let failedAt = state.failedAt, began > failedAt, !state.isShort else { return nil }
            state.isShort = true
            return state.why
        }
        guard let fault else { return }
        logger.warning("PostgreSQL answers, and no more connections can be made", metadata: ["fault": "\(fault)"])
    }

    /// Whether any session had an answer since then.
    func hasAnswered(since began: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.answeredAt.map { $0 > began } ?? false }
    }

    /// Notes that a session was abandoned without an answer: one attempt finds out for all whether the server answers.
    ///
    /// This has no pause and no log line. It does not apply if any session had an answer since the statement began:
    /// then only that statement hangs.
    func noteSilence(since began: ContinuousClock.Instant) {
        state.withLock { state in
            if let answeredAt = state.answeredAt, answeredAt > began { return }
            state.decideForAll(from: now(), "a session had no answer in time")
        }
    }

    /// Notes that an attempt had too little time to tell whether the server is there: the next one finds out for all.
    func noteUndecided() {
        let attempt = state.withLock { state in
            let attempt = state.attempt
            state.attempt = nil
            state.decideForAll(from: now(), "a call had too little time left to connect")
            return attempt
        }
        attempt?.end.open()
    }

    /// Notes that a connection could not be made.
    func noteFailure(_ error: PostgresError) {
        turned.wrappingAdd(1, ordering: .relaxed)
        let past = state.withLock { state in
            let past = state
            state.failures += 1
            state.attempt = nil
            state.failedAt = now()
            state.retryAt = now() + backoff.delay(attempt: state.failures, chance: chance())
            state.why = (error.sqlState.map { "\($0) " } ?? "") + error.message
            return past
        }
        past.attempt?.end.open()
        guard past.failures == 0 else { return }
        logger.debug("no connection to PostgreSQL can be made", metadata: ["fault": "\(error)"])
    }
}
