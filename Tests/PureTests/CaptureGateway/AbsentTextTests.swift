import CaptureModel
import CaptureStore
import DeviceSimulator
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Certified texts that cannot be stored` {
    private static let phone = SimulatedDevice(
        appID: GatewayFixture.appID, statements: AppExtensions(bundleVersion: "1314\0"), systemVersion: "27\0.0")

    /// PostgreSQL's text cannot hold it.
    @Test func `a version with U+0000 is registered as absent, and the rest as it is`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            let id = try await fixture.register(Self.phone, gateway)
            let record = try #require(try await fixture.store.record(of: id))
            let registration = record.registration
            #expect(registration.device.level == .secureEnclave && registration.validationCategory == 4)
            #expect(registration.osVersion == nil && registration.bundleVersion == nil)
            #expect(registration.device.latestOSVersion == nil)
            #expect(registration.device.attestedApp == AttestedApp(validationCategories: [4]))
        }
    }
}
