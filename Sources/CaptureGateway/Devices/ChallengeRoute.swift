import CaptureModel
import CaptureQueue
import FoundationEssentials
import Hummingbird
import Observability

/// `GET /api/v1/devices/challenge`: 32 random bytes that a device attests to, once ([R-CH-1] to [R-CH-3]).
struct ChallengeRoute: Sendable {
    let configuration: GatewayConfiguration
    let dependencies: GatewayDependencies

    private static let bytes = 32

    func handle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try await admit(context)
        let challenge = makeChallenge()
        let now = dependencies.now()
        do {
            try await dependencies.challenges.issue(challenge, lifetime: configuration.challengeLifetime)
        } catch {
            throw APIError.unavailable(error)
        }
        CaptureMetrics.challengeIssued()
        let answer = Answer(
            challenge: Data(challenge).base64EncodedString(),
            expiresAt: now.advanced(by: configuration.challengeLifetime).rfc3339)
        return try Envelope.success(answer, context: context, now: now)
    }

    private func admit(_ context: GatewayContext) async throws(APIError) {
        let decision: RateDecision
        do {
            decision = try await dependencies.limiter.admit(
                "challenge:\(context.clientAddress)", limit: configuration.challengeLimit,
                window: configuration.challengeWindow)
        } catch {
            throw .unavailable(error)
        }
        guard case .limited(let retryAfter) = decision else { return }
        CaptureMetrics.rateLimited()
        throw APIError(.rateLimited, "too many challenges for this address", retryAfter: retryAfter)
    }

    private func makeChallenge() -> [UInt8] {
        var generator = dependencies.generator
        return (0..<Self.bytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    private struct Answer: Encodable, Sendable {
        var challenge: String
        var expiresAt: String

        enum CodingKeys: String, CodingKey {
            case challenge
            case expiresAt = "expires_at"
        }
    }
}
