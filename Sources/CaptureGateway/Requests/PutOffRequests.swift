import Logging
import Spell
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
    private let putOff = Mutex(Spell(calm: calm))

    /// - Parameter now: The time.
    init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    /// Notes a request that was put off.
    func note(_ cause: String) {
        guard putOff.withLock({ $0.begin(at: now()) }) else { return }
        logger.warning("requests are put off", metadata: ["cause": .string(cause)])
    }

    /// Notes that time has passed.
    func lookAgain() {
        if putOff.withLock({ $0.end(at: now()) }) { logger.notice("requests are put off no longer") }
    }
}
