import CaptureModel
import CaptureQueue
import FoundationEssentials
import Hummingbird
import Observability

/// `GET /api/v1/devices/challenge`: 32 random bytes that a device attests to, once.
struct ChallengeRoute: Sendable {
    private let lifetime: Duration
    let dependencies: GatewayDependencies
    private let rate: RequestRate

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        lifetime = configuration.validity.challengeLifetime
        self.dependencies = dependencies
        rate = RequestRate(rates: configuration.rates, dependencies: dependencies)
    }

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await rate.admit(.challenge, of: context.clientAddress)
        var generator = dependencies.generator
        let challenge = generator.bytes(RegistrationClaim.challengeBytes)
        let now = dependencies.now()
        try await askingQueue { () async throws(QueueError) in
            try await dependencies.challenges.issue(challenge, lifetime: lifetime)
        }
        CaptureMetrics.challengeIssued()
        let answer = Answer(
            challenge: Data(challenge).base64EncodedString(),
            expiresAt: now.advanced(by: lifetime).rfc3339)
        return try Envelope.success(answer, context: context, now: now)
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
