package import CaptureModel
package import Logging

/// The outage logs of all servers that a program needs, shared by all that call or probe them.
package struct OutageLogs: Sendable {
    /// The log of the queue.
    package let redis: OutageLog
    /// The log of the record.
    package let postgres: OutageLog
    /// The log of the bundle directory.
    package let bundles: OutageLog

    /// Begins with servers that are assumed to be up.
    package init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        redis = OutageLog(.redis, logger: logger, now: now)
        postgres = OutageLog(.postgres, logger: logger, now: now)
        bundles = OutageLog(.bundles, logger: logger, now: now)
    }

    /// Notes the result of a probe of a server.
    ///
    /// It also checks whether an outage of the bundle directory is over.
    /// - Parameter fault: Why the server is not up, when that is known.
    package func probed(_ server: BackingServer, isUp: Bool, fault: String? = nil) {
        self[server].probed(isUp: isUp, fault: fault)
        bundles.lookAgain()
    }

    /// Notes that a server has answered a probe, and that a damaged key keeps it from telling its state.
    ///
    /// It also checks whether an outage of the bundle directory is over.
    package func probed(_ server: BackingServer, damage fault: String) {
        self[server].probed(damage: fault)
        bundles.lookAgain()
    }

    /// The log of one server.
    package subscript(server: BackingServer) -> OutageLog {
        switch server {
        case .redis: redis
        case .postgres: postgres
        case .bundles: bundles
        }
    }
}
