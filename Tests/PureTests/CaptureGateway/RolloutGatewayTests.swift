import AppAttest
import CaptureModel
import CaptureStore
import DeviceSimulator
import Rollout
import TestSupport
import Testing

@testable import CaptureGateway

private let path = "/api/v1/devices/register"

@Suite(.timeLimit(.minutes(1))) struct `A gateway with a rollout` {
    /// A fixture whose gateway asks for apps from the App Store.
    private func fixture(_ mode: RolloutMode, buckets: Int = RolloutBucket.count) throws -> GatewayFixture {
        var fixture = try GatewayFixture()
        let app = try #require(AppID(GatewayFixture.appID))
        let rollout = AppRollout(
            mode: mode, bucketsWithin: buckets, extensions: ExtensionPolicy(validationCategories: [4]))
        fixture.dependencies.rollout = RolloutInForce(
            RolloutPolicy(digest: .hash([1]), apps: [app: rollout]), since: fixture.time.now)
        return fixture
    }

    private func phone(category: UInt32) -> SimulatedDevice {
        SimulatedDevice(appID: GatewayFixture.appID, statements: AppExtensions(validationCategory: category))
    }

    @Test func `a device that does not meet what is enforced is refused, under either policy`() async throws {
        for policy in RegistrationPolicy.allCases {
            var fixture = try fixture(.enforce)
            fixture.configuration.trust.registrationPolicy = policy
            try await fixture.run { [fixture] gateway in
                let refused = try await gateway.post(path, fixture.form(phone(category: 3), gateway.challenge()))
                #expect(refused.status == 401 && refused.code == "ATTESTATION_FAILED")
                #expect(refused.reason == Reason.extensionsNotAllowed.rawValue)
                #expect(try await fixture.store.listDevices(after: nil, limit: 10).isEmpty)
                let taken = try await gateway.post(path, fixture.form(phone(category: 4), gateway.challenge()))
                #expect(taken.status == 201)
            }
        }
    }

    @Test(arguments: [(RolloutMode.off, 10_000), (.monitor, 10_000), (.enforce, 0)])
    func `a device is taken while no rollout is enforced on it`(mode: RolloutMode, buckets: Int) async throws {
        let fixture = try fixture(mode, buckets: buckets)
        try await fixture.run { gateway in
            let taken = try await gateway.post(path, fixture.form(phone(category: 3), gateway.challenge()))
            #expect(taken.status == 201 && taken.data["attestation_level"] == "secure_enclave")
        }
    }

    @Test func `the policy in force is shown to holders of tokens`() async throws {
        let fixture = try fixture(.monitor, buckets: 1250)
        try await fixture.run { gateway in
            #expect(try await gateway.get("/api/v1/rollout").status == 401)
            #expect(try await gateway.get("/api/v1/rollout", token: "guess").status == 401)
            let shown = try await gateway.get("/api/v1/rollout", token: GatewayFixture.readToken)
            #expect(shown.status == 200 && shown.data["policy_sha256"].string == SHA256Digest.hash([1]).hex)
            #expect(shown.data["since"].string == fixture.time.now.rfc3339 && shown.data["fault"] == .null)
            let app = try #require(shown.data["apps"].elements.first)
            #expect(app["app_id"].string == GatewayFixture.appID && app["mode"] == "monitor")
            #expect(app["percentage"] == "12.5" && app["buckets_within"] == .whole(1250))
            #expect(app["validation_categories"] == .array([.whole(4)]) && app["os_version_minimum"] == .null)
            #expect(app["not_below_attested"] == .array([]))
        }
    }
}
