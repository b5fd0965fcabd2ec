import Logging
import Observability

/// Logs when a condition begins, and when it has not been met for a while, once each however many requests meet it.
final class LoggedEpisode: Sendable {
    /// How long the condition must not be met before it is over: one that comes and goes is one change.
    static let calm = Duration.seconds(30)

    private let logger: Logger
    private let began: Logger.Message
    private let ended: Logger.Message
    private let now: @Sendable () -> ContinuousClock.Instant
    private let episode = SharedEpisode(calm: calm)

    /// - Parameters:
    ///   - began: The warning at its beginning; while it goes on, the message is logged at debug.
    ///   - ended: The message at its end.
    ///   - now: The clock that ``calm`` is measured by.
    init(
        _ began: Logger.Message, _ ended: Logger.Message, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.began, self.ended) = (began, ended)
        (self.logger, self.now) = (logger, now)
    }

    /// Notes that the condition is met.
    func begin(_ metadata: Logger.Metadata) {
        let isNews = episode.begin(at: now())
        logger.log(level: isNews ? .warning : .debug, began, metadata: metadata)
    }

    /// Notes that the condition is not met.
    func end() {
        if episode.end(at: now()) { logger.notice(ended) }
    }
}
