import Logging
import Synchronization

/// Tells the log when the server went away and came back, once per change however many links and attempts there are.
///
/// A fault of TLS is told as critical, once in an outage: programs silence their clients below that, and tell
/// themselves only how an outage began.
final class Reachability: Sendable {
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var isUp: Bool?
        /// The faults of TLS that were told since the server was there.
        var told: Set<String> = []
    }

    init(logger: Logger) {
        self.logger = logger
    }

    /// Notes that a connection was made, or could not be made or kept.
    func changed(up: Bool, _ fault: RedisError?) {
        let (hasChanged, isNewToTLS) = state.withLock { state in
            defer { state.isUp = up }
            if up { state.told = [] }
            let isNew = fault.map { $0.isOfTLS && state.told.insert($0.message).inserted } ?? false
            return (state.isUp != up, isNew)
        }
        if isNewToTLS {
            logger.critical("Redis is not reachable by TLS", metadata: ["fault": "\(fault?.message ?? "")"])
        }
        guard hasChanged else {
            logger.trace("Redis connection", metadata: ["up": "\(up)", "fault": "\(fault?.message ?? "")"])
            return
        }
        if up {
            logger.info("Redis is reachable")
        } else {
            logger.warning("Redis is not reachable", metadata: ["fault": "\(fault?.message ?? "")"])
        }
    }
}
