/// The states of a link to the server, and what each event leads to; performs nothing itself.
///
/// ```
/// idle → connecting → loggingIn → up ──▶ draining → closed
///            ▲  │         │       │                   ▲
///            │  ▼         ▼       ▼                   │
///            └─ waiting ◀─────────┴── (no reconnect) ─┘
/// ```
struct LinkLifecycle {
    private enum State {
        case idle, connecting, loggingIn, up, waiting, draining
        case closed(RedisError)
    }

    private var state = State.idle
    private var failures = 0
    private let reconnects: Bool
    /// Whether the last connection was given up as its server takes no writes.
    private var isDemoted = false
    /// Why the last connection could not be made or was lost.
    private(set) var lastFault: RedisError?

    init(reconnects: Bool) {
        self.reconnects = reconnects
    }

    /// Attempts that have failed in a row; the first of the losses may be that of a connection.
    var failedAttempts: Int { max(0, failures - 1) }

    /// Whether commands may be written now.
    var isUp: Bool {
        switch state {
        case .up, .draining: true
        default: false
        }
    }

    /// Why no new command is taken; nil if it is.
    var refusal: RedisError? {
        switch state {
        case .closed(let reason): reason
        case .draining: Self.shutDown
        default: nil
        }
    }

    /// What commands learn that were refused after an orderly end.
    static let shutDown = RedisError(.closed, "the client was shut down")

    /// The owner wants a connection.
    ///
    /// - Returns: whether to connect now.
    mutating func start() -> Bool {
        guard case .idle = state else { return false }
        state = .connecting
        return true
    }

    /// The transport is there.
    ///
    /// - Returns: whether to log in; otherwise the transport is not wanted any more.
    mutating func connected() -> Bool {
        guard case .connecting = state else { return false }
        state = .loggingIn
        return true
    }

    /// The server accepted the log-in.
    mutating func loggedIn() {
        guard case .loggingIn = state else { return }
        state = .up
        // A replica lets everybody in: that it does is no reason to knock at once the next time.
        if !isDemoted { failures = 0 }
        lastFault = nil
    }

    /// What follows a connection that is gone or never came.
    enum LossAction {
        /// Try again after the backoff for so many failures in a row.
        case retry(failures: Int)
        /// It is over; what waits fails with this.
        case finish(RedisError)
        /// It was over before.
        case none
    }

    /// A connection is gone or never came.
    /// - Parameter isDemoted: It was given up as its server takes no writes.
    mutating func lost(_ fault: RedisError, isDemoted: Bool = false) -> LossAction {
        switch state {
        case .closed: return .none
        case .draining: return finish(Self.shutDown)
        case .idle, .connecting, .loggingIn, .up, .waiting: break
        }
        lastFault = fault
        // A server that was there and is gone is no sequel to one that took no writes.
        if case .up = state, !isDemoted { failures = 0 }
        self.isDemoted = isDemoted
        guard reconnects else { return finish(fault) }
        failures += 1
        state = .waiting
        return .retry(failures: failures)
    }

    /// The backoff is over.
    ///
    /// - Returns: whether to connect now.
    mutating func retryDue() -> Bool {
        guard case .waiting = state else { return false }
        state = .connecting
        return true
    }

    /// The owner wants an orderly end.
    ///
    /// - Returns: whether to wait for answers; otherwise close at once.
    mutating func drain(isIdle: Bool) -> Bool {
        guard case .up = state, !isIdle else { return false }
        state = .draining
        return true
    }

    /// Whether an orderly end waits for answers.
    var isDraining: Bool {
        if case .draining = state { true } else { false }
    }

    /// It is over, whatever the state was.
    ///
    /// - Returns: whether it was not over before.
    mutating func close(_ reason: RedisError) -> Bool {
        if case .closed = state { return false }
        state = .closed(reason)
        return true
    }

    private mutating func finish(_ reason: RedisError) -> LossAction {
        state = .closed(reason)
        return .finish(reason)
    }
}
