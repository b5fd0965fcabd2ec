import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `A parameter without a value` {
    @Test(arguments: ["device", "status", "state", "reason", "confidence", "from", "to", "after", "limit"])
    func `an empty parameter is refused by the list of captures, and left alone by the form of the dashboard`(
        name: String
    ) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            for query in ["\(name)=", name] {
                let answer = try await gateway.get("/api/v1/captures?\(query)", token: GatewayFixture.readToken)
                #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR" && answer.field == name)
            }
            let page = try await DashboardLogin(gateway).get("/dashboard/captures?\(name)=")
            #expect(page.status == 200)
        }
    }

    @Test(arguments: ["after", "limit"]) func `an empty parameter is refused by the list of devices`(name: String)
        async throws
    {
        try await GatewayFixture().withOperators().run { gateway in
            let answer = try await gateway.get("/api/v1/devices?\(name)=", token: GatewayFixture.readToken)
            #expect(answer.status == 400 && answer.field == name)
        }
    }
}
