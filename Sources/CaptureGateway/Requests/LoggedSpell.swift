import Logging
import Spell
import Synchronization

/// Tells the log when something begins to be so, and when it has not been for a while: however many requests meet it.
final class LoggedSpell: Sendable {
    /// For how long it must not have been noted before it is over: what comes and goes is one change.
    static let calm = Duration.seconds(30)

    private let logger: Logger
    private let began: Logger.Message
    private let ended: Logger.Message
    private let now: @Sendable () -> ContinuousClock.Instant
    private let spell = Mutex(Spell(calm: calm))

    /// - Parameters:
    ///   - began: What is told at its beginning, as a warning; each time after that it is at debug.
    ///   - ended: What is told at its end.
    ///   - now: The time.
    init(
        _ began: Logger.Message, _ ended: Logger.Message, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.began, self.ended) = (began, ended)
        (self.logger, self.now) = (logger, now)
    }

    /// Notes that it is so.
    func begin(_ metadata: Logger.Metadata) {
        let isNews = spell.withLock { $0.begin(at: now()) }
        logger.log(level: isNews ? .warning : .debug, began, metadata: metadata)
    }

    /// Notes that it is not so.
    func end() {
        if spell.withLock({ $0.end(at: now()) }) { logger.notice(ended) }
    }
}
