package import Logging

/// The logs of all servers that a program needs, shared by whatever calls them and by whoever only
/// asks whether they answer.
package struct OutageLogs: Sendable {
    /// The queue's.
    package let redis: OutageLog
    /// The record's.
    package let postgres: OutageLog
    /// That of the bytes in files.
    package let bundles: OutageLog

    /// Begins with servers that are taken to be there.
    package init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        redis = OutageLog(.redis, logger: logger, now: now)
        postgres = OutageLog(.postgres, logger: logger, now: now)
        bundles = OutageLog(.bundles, logger: logger, now: now)
    }

    /// Notes what a probe of a server found.
    ///
    /// Whether bytes are there again is looked at with the others.
    /// - Parameter fault: Why the server is not up, where that is known.
    package func probed(_ dependency: CaptureMetrics.Dependency, isUp: Bool, fault: String? = nil) {
        self[dependency].probed(isUp: isUp, fault: fault)
        bundles.lookAgain()
    }

    /// One server's.
    package subscript(dependency: CaptureMetrics.Dependency) -> OutageLog {
        switch dependency {
        case .redis: redis
        case .postgres: postgres
        case .bundles: bundles
        }
    }
}
