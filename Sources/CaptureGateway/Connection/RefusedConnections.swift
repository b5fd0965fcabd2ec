import Logging
import Observability

/// Counts connections and requests that found no place, and tells the log when that begins and when it is over, once
/// each.
///
/// It is over when a connection is taken after none was refused for a while. A client that has its share is logged apart
/// from a gateway that is full; while it is refused and others are taken in turn, that is logged as one change.
final class RefusedConnections: Sendable {
    private let limit: ConnectionLimit
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let refusals: SharedEpisode
    /// The refusals of clients that have their share.
    private let shares: SharedEpisode

    /// - Parameters:
    ///   - limit: By which they are refused.
    ///   - logger: Told of each change.
    ///   - calm: How long none may have been refused before it is over.
    ///   - now: The clock that `calm` is measured by.
    init(
        by limit: ConnectionLimit, logger: Logger, calm: Duration = .seconds(10),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limit = limit
        self.logger = logger
        self.now = now
        refusals = SharedEpisode(calm: calm)
        shares = SharedEpisode(calm: calm)
    }

    /// Notes what became of a connection, or of a request on one that was idle.
    func note(_ admission: ConnectionLimit.Admission) {
        switch admission {
        case .admitted:
            if refusals.end(at: now()) { logger.notice("connections are taken again") }
            if shares.end(at: now()) { logger.notice("connections of one address are taken again") }
        case .refused: begin(refusals, as: .refused, "connections are refused")
        case .dropped: begin(refusals, as: .dropped, "connections are refused")
        case .overShare: begin(shares, as: .share, "connections of one address are refused")
        }
    }

    private func begin(
        _ episode: SharedEpisode, as outcome: CaptureMetrics.ConnectionRefusal, _ message: Logger.Message
    ) {
        CaptureMetrics.connectionRefused(outcome)
        guard episode.begin(at: now()) else { return }
        logger.warning(message, metadata: ["connections": "\(limit.count)", "limit": "\(limit.connectionsMax)"])
    }
}
