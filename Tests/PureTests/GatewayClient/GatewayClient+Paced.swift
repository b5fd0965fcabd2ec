import AsyncHTTPClient

@testable import GatewayClient

extension GatewayClient {
    /// A client that pauses by a clock of the test's, and for as long as it may.
    static func paced(by clock: ImmediateClock, _ url: String, attemptsMax: Int = 8) -> GatewayClient {
        GatewayClient(
            Configuration(url: url, attemptsMax: attemptsMax, chance: { 1 }), http: HTTPClient.shared, clock: clock)
    }
}
