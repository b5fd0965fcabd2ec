import CaptureModel
import Logging
import Observability
import Synchronization

/// Logs that a server is away once, and then at most once a minute while requests keep failing for it.
final class OutageLog: Sendable {
    private static let pause: Duration = .seconds(60)

    private let last = Mutex<[CaptureMetrics.Dependency: Timestamp]>([:])

    /// Notes a request that failed because a server is away.
    func note(_ dependency: CaptureMetrics.Dependency, _ what: String, at now: Timestamp, _ logger: Logger) {
        let isNews = last.withLock { last in
            if let earlier = last[dependency], now.since(earlier) < Self.pause { return false }
            last[dependency] = now
            return true
        }
        CaptureMetrics.dependency(dependency, isUp: false)
        let metadata: Logger.Metadata = ["dependency": .string(dependency.rawValue), "cause": .string(what)]
        logger.log(level: isNews ? .warning : .debug, "requests fail because a server is away", metadata: metadata)
    }

    /// Notes that a server answers again.
    func clear(_ dependency: CaptureMetrics.Dependency, _ logger: Logger) {
        let wasAway = last.withLock { $0.removeValue(forKey: dependency) != nil }
        CaptureMetrics.dependency(dependency, isUp: true)
        if wasAway {
            logger.notice("a server answers again", metadata: ["dependency": .string(dependency.rawValue)])
        }
    }
}
