import CaptureModel
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Enrolment without a key` {
    @Test func `enrolment without a key is closed, and says why`() async throws {
        try await GatewayFixture().run { gateway in
            for operation in [Operation.startEnrolment, .attestEnrolment, .setEnrolmentPassword, .finalizeEnrolment] {
                let answer = try await gateway.post(operation.path, [:])
                #expect(answer.status == 404 && answer.code == "NOT_FOUND")
                #expect(answer.json["error"]["message"].string?.contains("enrolment.keyFile") == true)
            }
        }
    }
}
