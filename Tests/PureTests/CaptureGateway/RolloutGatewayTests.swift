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
    /// A bench whose gateway asks for apps from the App Store.
    private func bench(_ mode: RolloutMode, buckets: Int = RolloutBucket.count) throws -> GatewayBench {
        var bench = try GatewayBench()
        let app = try #require(AppID(GatewayBench.appID))
        let rollout = AppRollout(
            mode: mode, bucketsWithin: buckets, extensions: ExtensionPolicy(validationCategories: [4]))
        bench.dependencies.rollout = RolloutInForce(
            RolloutPolicy(digest: .hash([1]), apps: [app: rollout]), since: bench.time.now)
        return bench
    }

    private func phone(category: UInt32) -> SimulatedDevice {
        SimulatedDevice(appID: GatewayBench.appID, statements: AppExtensions(validationCategory: category))
    }

    @Test func `a device that does not meet what is enforced is refused, under either policy`() async throws {
        for policy in GatewayConfiguration.RegistrationPolicy.allCases {
            var bench = try bench(.enforce)
            bench.configuration.registrationPolicy = policy
            try await bench.run { [bench] gateway in
                let refused = try await gateway.post(path, bench.form(phone(category: 3), gateway.challenge()))
                #expect(refused.status == 401 && refused.code == "ATTESTATION_FAILED")
                #expect(refused.reason == Reason.extensionsNotAllowed.rawValue)
                #expect(try await bench.store.listDevices(after: nil, limit: 10).isEmpty)
                let taken = try await gateway.post(path, bench.form(phone(category: 4), gateway.challenge()))
                #expect(taken.status == 201)
            }
        }
    }

    @Test(arguments: [(RolloutMode.off, 10_000), (.monitor, 10_000), (.enforce, 0)])
    func `it is taken while nothing is enforced on it`(mode: RolloutMode, buckets: Int) async throws {
        let bench = try bench(mode, buckets: buckets)
        try await bench.run { gateway in
            let taken = try await gateway.post(path, bench.form(phone(category: 3), gateway.challenge()))
            #expect(taken.status == 201 && taken.data["attestation_level"] == "secure_enclave")
        }
    }

    @Test func `the policy in force is shown to holders of tokens`() async throws {
        let bench = try bench(.monitor, buckets: 1250)
        try await bench.run { gateway in
            #expect(try await gateway.get("/api/v1/rollout").status == 401)
            #expect(try await gateway.get("/api/v1/rollout", token: "guess").status == 401)
            let shown = try await gateway.get("/api/v1/rollout", token: GatewayBench.readToken)
            #expect(shown.status == 200 && shown.data["policy_sha256"].text == SHA256Digest.hash([1]).hex)
            #expect(shown.data["since"].text == bench.time.now.rfc3339 && shown.data["fault"] == .null)
            let app = try #require(shown.data["apps"].elements.first)
            #expect(app["app_id"].text == GatewayBench.appID && app["mode"] == "monitor")
            #expect(app["percentage"] == "12.5" && app["buckets_within"] == .number(1250))
            #expect(app["validation_categories"] == .array([.number(4)]) && app["os_version_minimum"] == .null)
            #expect(app["not_below_attested"] == .array([]))
        }
    }
}
