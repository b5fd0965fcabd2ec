import CaptureQueue
import Observability

/// Bounds how often one client may ask for something, over all gateways ([R-CH-3]).
struct RequestRate: Sendable {
    let configuration: GatewayConfiguration
    let dependencies: GatewayDependencies

    /// Counts a request.
    /// - Parameters:
    ///   - kind: What is asked for: each kind is counted by itself.
    ///   - plural: The same in words, for the refusal.
    func admit(_ kind: String, _ plural: String, _ context: GatewayContext) async throws(APIError) {
        let decision: RateDecision
        do {
            decision = try await dependencies.limiter.admit(
                "\(kind):\(context.clientAddress)", limit: configuration.challengeLimit,
                window: GatewayConfiguration.rateWindow)
        } catch {
            throw .unavailable(error)
        }
        guard case .limited(let retryAfter) = decision else { return }
        CaptureMetrics.rateLimited()
        throw APIError(.rateLimited, "too many \(plural) for this address", retryAfter: retryAfter)
    }
}
