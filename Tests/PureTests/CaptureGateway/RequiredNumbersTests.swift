import TestSupport
import Testing

@testable import CaptureGateway

/// The requirements' numbers written out once more: a default that changes by accident is noticed here.
@Suite("The numbers of the requirements", .timeLimit(.minutes(1)))
struct RequiredNumbersTests {
    private let configuration = GatewayConfiguration(appIDs: [])

    @Test func `the numbers of the requirements are the limits of an upload where nobody chooses others`() {
        #expect(configuration.uploads.photoBytesMax == 10_485_760)
        #expect(configuration.uploads.depthBytesMax == 5_242_880)
        #expect(configuration.uploads.assertionBytesMax == 8_192)
        #expect(configuration.uploads.metadataBytesMax == 16_384)
    }

    @Test func `the numbers of the requirements are the limits of challenges and signed requests`() {
        #expect(configuration.rates.challengeLimit == 10 && GatewayConfiguration.Rates.window == .seconds(60))
        #expect(configuration.validity.challengeLifetime == .seconds(300))
        #expect(configuration.validity.requestWindow == .seconds(300))
    }

    @Test(arguments: [(0, true), (299, true), (300, false)])
    func `the numbers of the requirements keep a challenge good for five minutes and no longer`(
        seconds: Int, isGood: Bool
    ) async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let challenge = try await gateway.challenge()
            fixture.time.advance(by: .seconds(seconds))
            let answer = try await gateway.post("/api/v1/devices/register", fixture.form(fixture.phone, challenge))
            #expect(answer.status == (isGood ? 201 : 401))
            #expect(answer.code == (isGood ? nil : "CHALLENGE_INVALID"))
        }
    }
}
