import Logging
import RedisClient
import Synchronization

/// Spaces out attempts to make one more connection while the server refuses it, and tells that it does: once when it
/// begins, once when it is over.
///
/// An attempt is made only by who has just had an answer on another connection. So the second failure in a row shows that
/// the server is there: it is told then. The first may be that of a server that has just gone away.
final class ConnectionShortage: Sendable {
    /// An attempt to connect.
    enum Attempt {
        /// None has failed before.
        case first
        /// The last one had failed.
        case again
    }

    private struct State {
        /// When to try again; `nil` when the last attempt did not fail.
        var retryAt: ContinuousClock.Instant?
        var isTold = false
    }

    /// The least time between two attempts after a failure.
    static let pause = Duration.seconds(1)

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Begins without any.
    init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    /// Begins an attempt, which must be noted as a success or a failure unless it is broken off; `nil` if it is too soon.
    func beginAttempt() -> Attempt? {
        state.withLock { state in
            guard let retryAt = state.retryAt else { return .first }
            let time = now()
            guard time >= retryAt else { return nil }
            // Nobody else tries meanwhile.
            state.retryAt = time + Self.pause
            return .again
        }
    }

    /// Notes that a connection was made.
    func noteSuccess() {
        let wasTold = state.withLock { state in
            defer { state = State() }
            return state.isTold
        }
        if wasTold { logger.notice("Redis gives connections again") }
    }

    /// Notes that no connection could be made.
    func noteFailure(_ fault: RedisError, of attempt: Attempt) {
        let isNews = state.withLock { state in
            state.retryAt = now() + Self.pause
            guard attempt == .again, !state.isTold else { return false }
            state.isTold = true
            return true
        }
        guard isNews else { return }
        logger.warning("Redis answers, and no more connections can be made", metadata: ["fault": "\(fault)"])
    }
}
