import Episode
import Logging
import Observability

/// Counts connections and requests that found no place, and tells the log when that begins and when it is over, once
/// each.
///
/// It is over when a connection is taken after none was refused for a while. While one client is refused and others are
/// taken in turn, that is logged as one change.
final class RefusedConnections: Sendable {
    private let limit: ConnectionLimit
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let refusals: SharedEpisode

    /// - Parameters:
    ///   - limit: By which they are refused.
    ///   - logger: Told of each change.
    ///   - calm: How long none may have been refused before it is over.
    ///   - now: The time.
    init(
        by limit: ConnectionLimit, logger: Logger, calm: Duration = .seconds(10),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limit = limit
        self.logger = logger
        self.now = now
        refusals = SharedEpisode(calm: calm)
    }

    /// Notes what became of a connection, or of a request on one that was idle.
    func note(_ admission: ConnectionLimit.Admission) {
        switch admission {
        case .admitted:
            if refusals.end(at: now()) { logger.notice("connections are taken again") }
        case .refused: begin(.refused)
        case .dropped: begin(.dropped)
        }
    }

    private func begin(_ outcome: CaptureMetrics.ConnectionRefusal) {
        CaptureMetrics.connectionRefused(outcome)
        guard refusals.begin(at: now()) else { return }
        // Far fewer connections than the limit show that one address has used up its share.
        logger.warning(
            "connections are refused", metadata: ["connections": "\(limit.count)", "limit": "\(limit.connectionsMax)"])
    }
}
