import NIOHTTP1

@testable import CaptureGateway

extension ConnectionGuard {
    /// A guard for a channel without a gateway: it refuses with a status alone.
    convenience init(limit: ConnectionLimit) {
        @Sendable func refusal(_ status: HTTPResponseStatus) -> Refusal {
            Refusal(status: status, headers: [:], body: [])
        }
        self.init(
            linger: .init(duration: .seconds(5), pause: .milliseconds(200), bytesMax: 1000), stallMax: .seconds(60),
            limit: limit, proxies: TrustedProxies([]),
            refusals: .init(
                unreadableHead: { _ in refusal(.badRequest) },
                tooManyConnections: { refusal(.serviceUnavailable) }))
    }
}
