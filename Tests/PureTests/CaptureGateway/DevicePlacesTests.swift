import CaptureModel
import FoundationEssentials
import GatewayClient
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Places in the list of devices` {
    @Test func `a device that there is not is none, and one that is may be the last`() async throws {
        let fixture = try GatewayFixture().withOperators()
        try await fixture.run { gateway in
            let last = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            for (place, isKnown) in [(last, true), (DeviceID(UUID()), false)] {
                let answer = try await gateway.get(
                    "/api/v1/devices?after=\(place)", token: GatewayFixture.readToken)
                #expect(answer.status == (isKnown ? 200 : 400))
                #expect(answer.field == (isKnown ? nil : "after"))
                if isKnown { #expect(answer.data["devices"] == .array([])) }
                let page = try await login.get("/dashboard/devices?after=\(place)")
                #expect(page.status == answer.status && page.text.contains("No more.") == isKnown)
                #expect(page.text.contains("begin again without it") != isKnown)
            }
        }
    }
}
