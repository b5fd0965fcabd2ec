import NIOCore
import Testing

@testable import CaptureGateway

@Suite("The tests' own gateway", .timeLimit(.minutes(1)))
struct GatewayFixtureTests {
    @Test func `the tests' own gateway tells that its port is another's, and keeps nobody waiting for it`() async throws
    {
        try await GatewayFixture().run { first in
            var second = try GatewayFixture()
            second.configuration.connections.port = first.port
            let taken = second
            await #expect(throws: IOError.self) {
                try await taken.run { _ in _ = Issue.record("two gateways have one port") }
            }
            await #expect(throws: IOError.self) {
                try await CapturesGateway.run {
                    $0.connections.port = first.port
                } _: { _ in
                    _ = Issue.record("two gateways have one port")
                }
            }
        }
    }
}
