import Logging
import Synchronization

/// Tells the log when requests begin to be put off, as something is locked or has too much to do at once, and when none
/// has been for a while.
///
/// No server is away then, and nothing else would say why uploads are 503.
final class PutOffRequests: Sendable {
    /// How long no request may have been put off before that is over.
    static let calm = Duration.seconds(30)

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    /// When a request was put off last; `nil` while none is.
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter now: The time.
    init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    /// Notes a request that was put off.
    func note(_ cause: String) {
        let time = now()
        let isNews = last.withLock { last in
            defer { last = time }
            return last == nil
        }
        guard isNews else { return }
        logger.warning("requests are put off", metadata: ["cause": .string(cause)])
    }

    /// Notes that time has passed.
    func lookAgain() {
        let time = now()
        let isOver = last.withLock { last in
            guard let lastTime = last, time - lastTime >= Self.calm else { return false }
            last = nil
            return true
        }
        if isOver { logger.notice("requests are put off no longer") }
    }
}
