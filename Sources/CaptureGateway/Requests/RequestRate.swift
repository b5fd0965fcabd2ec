import CaptureQueue
import Observability

/// Bounds how often one client, or one device, may do something, over all gateways.
struct RequestRate: Sendable {
    private let rates: GatewayConfiguration.Rates
    private let limiter: any RateLimiter

    init(rates: GatewayConfiguration.Rates, dependencies: GatewayDependencies) {
        self.rates = rates
        limiter = dependencies.limiter
    }

    /// Counts a request.
    /// - Throws: `RATE_LIMITED` when it was one too many, `UNAVAILABLE` when nobody can tell.
    func admit(_ subject: RateSubject, of client: String) async throws(APIError) {
        if let wait = try await wait(subject, of: client) { throw Self.refused(subject, for: wait) }
    }

    /// Counts a request, and tells how long the client has to wait if it was one too many.
    func wait(_ subject: RateSubject, of client: String) async throws(APIError) -> Duration? {
        let decision = try await askingQueue { () async throws(QueueError) in
            try await limiter.admit(
                subject.key(of: client), limit: subject.limit(rates), window: GatewayConfiguration.Rates.window)
        }
        return switch decision {
        case .allowed: nil
        case .limited(let retryAfter): retryAfter
        }
    }

    /// Counts a refusal, and puts it in words.
    static func refused(_ subject: RateSubject, for wait: Duration) -> APIError {
        CaptureMetrics.rateLimited()
        return APIError(.rateLimited, subject.refusal, retryAfter: wait)
    }
}
