import Logging
import Synchronization

/// Logs a server's going and coming once each, however many calls meet it.
final class OutageLog: Sendable {
    private let server: String
    private let logger: Logger
    private let isAway = Mutex(false)

    init(server: String, logger: Logger) {
        self.server = server
        self.logger = logger
    }

    /// Notes that a call failed because the server is away.
    func away(_ fault: some CustomStringConvertible) {
        guard change(to: true) else { return }
        logger.error("\(server) is away; waiting for it", metadata: ["fault": "\(fault)"])
    }

    /// Notes that a call went through.
    func back() {
        guard change(to: false) else { return }
        logger.notice("\(server) is back")
    }

    private func change(to new: Bool) -> Bool {
        isAway.withLock { old in
            defer { old = new }
            return old != new
        }
    }
}
