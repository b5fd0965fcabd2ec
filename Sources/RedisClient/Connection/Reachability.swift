import Logging
import Synchronization

/// Tells the log when the server went away and came back, once per change however many links and attempts there are.
final class Reachability: Sendable {
    private let logger: Logger
    private let isUp = Mutex<Bool?>(nil)

    init(logger: Logger) {
        self.logger = logger
    }

    /// Notes that a connection was made, or could not be made or kept.
    func changed(up: Bool, _ fault: RedisError?) {
        let hasChanged = isUp.withLock { isUp in
            defer { isUp = up }
            return isUp != up
        }
        guard hasChanged else {
            logger.trace("redis connection", metadata: ["up": "\(up)", "fault": "\(fault?.message ?? "")"])
            return
        }
        if up {
            logger.info("redis is reachable")
        } else {
            logger.warning("redis is not reachable", metadata: ["fault": "\(fault?.message ?? "")"])
        }
    }
}
