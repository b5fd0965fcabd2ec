import CaptureModel
import CaptureStore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `A device that is attested again and again` {
    private static func summaries(_ count: Int, _ fixture: GatewayFixture) -> [AttestationSummary] {
        (0..<count).map {
            AttestationSummary(
                at: fixture.time.now, model: "iPhone17,1", osVersion: "26.\($0)", bundleVersion: nil,
                validationCategory: nil)
        }
    }

    @Test(arguments: [(51, false), (52, true), (60, true)])
    func `a device is shown with its first attestation and the latest, and that there are others`(
        count: Int, isCut: Bool
    )
        async throws
    {
        var fixture = try GatewayFixture().withOperators()
        var registry = MemoryRegistry(store: fixture.store)
        registry.summaries = Self.summaries(count, fixture)
        fixture.dependencies.registry = registry
        let expected = ["26.0"] + (count - 50..<count).map { "26.\($0)" }
        try await fixture.run { [fixture] gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let told = try await gateway.get("/api/v1/devices/\(device)", token: GatewayFixture.readToken)
            #expect(told.data["attestations"].elements.compactMap { $0["os_version"].string } == expected)
            #expect(told.data["attestations_cut"] == .bool(isCut))
            let page = try await DashboardLogin(gateway).get("/dashboard/devices/\(device)").text
            let shown = page.matches(of: /<td>(26\.\d+)<\/td>/).map { String($0.1) }
            #expect(shown == expected && page.contains("the latest 50: there are others between.") == isCut)
        }
    }

    @Test func `what is named for the first time, or no longer, has been or becomes null`() async throws {
        var fixture = try GatewayFixture()
        var registry = MemoryRegistry(store: fixture.store)
        registry.reattested = .kept([
            Drift(fact: .bundleVersion, before: nil, after: "12"),
            Drift(fact: .validationCategory, before: "4", after: nil),
        ])
        fixture.dependencies.registry = registry
        try await fixture.run { [fixture] gateway in
            let phone = fixture.phone
            let device = try await fixture.register(phone, gateway)
            let form = try fixture.form(phone, await gateway.challenge())
            let told = try await gateway.post("/api/v1/devices/\(device)/attestation", form)
            #expect(
                told.data["drift"] == [
                    ["fact": "bundle_version", "before": .null, "after": "12"],
                    ["fact": "validation_category", "before": "4", "after": .null],
                ])
        }
    }
}
