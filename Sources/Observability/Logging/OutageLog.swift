public import Logging
import Synchronization

/// Logs a server's going and coming once each, however many calls meet it, and keeps its gauge.
///
/// A server is back when a call goes through after none has failed for a while: while some of its connections are up
/// again and others are not, calls fail and succeed in turn, and that is one change of state and not many.
public final class OutageLog: Sendable {
    private struct State {
        var isAway = false
        var lastFault: ContinuousClock.Instant?
    }

    private let dependency: CaptureMetrics.Dependency
    private let logger: Logger
    private let calm: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Begins with a server that is taken to be there, and sets its gauge.
    /// - Parameters:
    ///   - dependency: The server.
    ///   - logger: Told of each change.
    ///   - calm: How long no call may have failed before the server counts as back.
    ///   - now: The time.
    public init(
        _ dependency: CaptureMetrics.Dependency, logger: Logger, calm: Duration = .seconds(1),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.dependency = dependency
        self.logger = logger
        self.calm = calm
        self.now = now
        CaptureMetrics.dependency(dependency, isUp: true)
    }

    /// Whether calls fail, or did a moment ago.
    public var isAway: Bool { state.withLock { $0.isAway } }

    /// Notes that a call failed because the server is away.
    public func away(_ fault: some CustomStringConvertible) {
        let isNews = state.withLock { state in
            defer { (state.isAway, state.lastFault) = (true, now()) }
            return !state.isAway
        }
        guard isNews else { return }
        CaptureMetrics.dependency(dependency, isUp: false)
        logger.error("\(dependency.rawValue) is away; waiting for it", metadata: ["fault": "\(fault)"])
    }

    /// Notes that a call went through.
    public func back() {
        let isNews = state.withLock { state in
            guard state.isAway, let lastFault = state.lastFault, now() - lastFault >= calm else { return false }
            state = State()
            return true
        }
        guard isNews else { return }
        CaptureMetrics.dependency(dependency, isUp: true)
        logger.notice("\(dependency.rawValue) is back")
    }
}
