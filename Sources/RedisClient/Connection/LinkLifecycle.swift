/// The states of a link to the server and the transitions between them; it has no effects of its own.
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
    /// Whether the last connection was given up because its server takes no writes.
    private var isDemoted = false
    /// Why the last connection could not be made or was lost.
    private(set) var lastFault: RedisError?

    init(reconnects: Bool) {
        self.reconnects = reconnects
    }

    /// Attempts that have failed in a row; the first failure is not counted, as it may be a lost connection.
    var failedAttempts: Int { max(0, failures - 1) }

    /// Whether commands may be written now.
    var isUp: Bool {
        switch state {
        case .up, .draining: true
        default: false
        }
    }

    /// Why no new command is taken; `nil` if it is.
    var refusal: RedisError? {
        switch state {
        case .closed(let reason): reason
        case .draining: Self.shutDown
        default: nil
        }
    }

    /// The error of commands that come after an orderly end.
    static let shutDown = RedisError(.closed, "the client was shut down")

    /// The owner wants a connection.
    ///
    /// - Returns: Whether to connect now.
    mutating func start() -> Bool {
        guard case .idle = state else { return false }
        state = .connecting
        return true
    }

    /// The transport is there.
    ///
    /// - Returns: Whether to log in; otherwise the transport is not wanted any more.
    mutating func connected() -> Bool {
        guard case .connecting = state else { return false }
        state = .loggingIn
        return true
    }

    /// The server accepted the log-in.
    mutating func loggedIn() {
        guard case .loggingIn = state else { return }
        state = .up
        // A replica accepts every log-in: so success there does not reset the backoff.
        if !isDemoted { failures = 0 }
        lastFault = nil
    }

    /// What to do about a connection that was lost or could not be made.
    enum LossAction {
        /// Try again after the backoff for this number of failures in a row.
        case retry(failures: Int)
        /// The link is closed; commands that wait fail with this.
        case finish(RedisError)
        /// The link was closed before.
        case none
    }

    /// A connection was lost or could not be made.
    /// - Parameter isDemoted: Whether it was given up because its server takes no writes.
    mutating func lost(_ fault: RedisError, isDemoted: Bool = false) -> LossAction {
        switch state {
        case .closed: return .none
        case .draining: return finish(Self.shutDown)
        case .idle, .connecting, .loggingIn, .up, .waiting: break
        }
        lastFault = fault
        // A working connection that is lost starts a new row of failures; a demotion continues the old one.
        if case .up = state, !isDemoted { failures = 0 }
        self.isDemoted = isDemoted
        guard reconnects else { return finish(fault) }
        failures += 1
        state = .waiting
        return .retry(failures: failures)
    }

    /// The backoff is over.
    ///
    /// - Returns: Whether to connect now.
    mutating func retryDue() -> Bool {
        guard case .waiting = state else { return false }
        state = .connecting
        return true
    }

    /// The owner wants an orderly end.
    ///
    /// - Returns: Whether to wait for answers; otherwise close at once.
    mutating func drain(isIdle: Bool) -> Bool {
        guard case .up = state, !isIdle else { return false }
        state = .draining
        return true
    }

    /// Whether an orderly end waits for answers.
    var isDraining: Bool {
        if case .draining = state { true } else { false }
    }

    /// Closes the link in any state.
    ///
    /// - Returns: `false` if it was closed already.
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
