public import Logging

/// The logs of all servers that a program needs, shared by whatever calls them and by whoever only
/// asks whether they answer.
public struct OutageLogs: Sendable {
    /// The queue's.
    public let redis: OutageLog
    /// The record's.
    public let postgres: OutageLog
    /// That of the bytes in files.
    public let bundles: OutageLog

    /// Begins with servers that are taken to be there.
    public init(logger: Logger) {
        redis = OutageLog(.redis, logger: logger)
        postgres = OutageLog(.postgres, logger: logger)
        bundles = OutageLog(.bundles, logger: logger)
    }

    /// One server's.
    public subscript(dependency: CaptureMetrics.Dependency) -> OutageLog {
        switch dependency {
        case .redis: redis
        case .postgres: postgres
        case .bundles: bundles
        }
    }
}
