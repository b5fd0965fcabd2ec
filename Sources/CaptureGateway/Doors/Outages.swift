public import Logging
import Observability

/// What a gateway's requests, and its reconciler, tell of the servers behind it.
public struct Outages: Sendable {
    private let logs: [CaptureMetrics.Dependency: OutageLog]

    /// Begins with servers that are taken to be there.
    public init(logger: Logger) {
        let all = CaptureMetrics.Dependency.allCases
        logs = Dictionary(uniqueKeysWithValues: all.map { ($0, OutageLog($0, logger: logger)) })
    }

    /// Notes a request that failed because a server is away.
    func note(_ dependency: CaptureMetrics.Dependency, _ fault: String) {
        logs[dependency]?.away(fault)
    }

    /// Notes a failure, if it comes of a server.
    func note(_ failure: APIError) {
        if case .server(let server, let what) = failure.cause { note(server, what) }
    }

    /// Notes that a server answers.
    func clear(_ dependency: CaptureMetrics.Dependency) {
        logs[dependency]?.back()
    }

    /// Notes a request that was served: the servers that it cannot do without have answered.
    func served(_ operation: Operation) {
        for dependency in operation.dependencies { clear(dependency) }
    }
}

extension Operation {
    /// The servers without which it does not succeed.
    fileprivate var dependencies: [CaptureMetrics.Dependency] {
        switch self {
        case .uploadCapture: [.redis, .postgres, .bundles]
        case .registerDevice, .registerCheckedDevice, .reattestDevice, .startEnrolment, .attestEnrolment,
            .setEnrolmentPassword, .finalizeEnrolment:
            [.redis, .postgres]
        case .issueChallenge, .captureStatus, .captureStatuses, .queueLoad: [.redis]
        case .captureProvenance, .listCaptures, .listDevices, .showDevice, .revokeDevice, .affectedResults: [.postgres]
        // The answer begins before anybody is asked.
        case .events, .captureEvents: []
        case .rollout, .liveness, .readiness, .metrics, .description: []
        }
    }
}
