import CaptureModel
import HTTPTypes
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("How a registration counts") struct RegistrationOutcomeTests {
    @Test(
        arguments: [
            (.attested(publicKey: [4], environment: .production, appID: "", trustRoot: ""), .verified),
            (.unverified(.p256, publicKey: nil, reason: "ROOT_EXPIRED"), .degraded),
            (.unverified(.ed25519, publicKey: [1], reason: Device.attestationMissing), .unattested),
        ] as [(DeviceKey, CaptureMetrics.RegistrationOutcome)])
    func `a registered device counts by what is known of its key`(
        key: DeviceKey, outcome: CaptureMetrics.RegistrationOutcome
    ) {
        let device = Device.phone(key, keyID: KeyID(publicKey: [4]))
        #expect(CaptureMetrics.RegistrationOutcome(device) == outcome)
    }

    @Test(arguments: APIError.Code.allCases)
    func `only a fault of the system counts as an error`(code: APIError.Code) {
        #expect((CaptureMetrics.RegistrationOutcome(code) == .error) == (code.status.code >= 500))
    }
}
