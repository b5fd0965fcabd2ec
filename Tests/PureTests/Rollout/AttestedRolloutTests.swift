import AppAttest
import CaptureModel
import DeviceSimulator
import Foundation
import Rollout
import Testing

@Suite struct `What a rollout compares with attestations` {
    private static let app = AppID("TEAM123456.com.example.capture")!
    private static let key = KeyID(publicKey: [1])
    private static let both: Set<ExtensionPolicy.AttestedFact> = [.bundleVersion, .validationCategory]
    /// What the attestations of the key say.
    private static let attested = AttestedApp(bundleVersions: ["1314.0", "1400"], validationCategories: [2, 4])

    private static func policy(
        _ facts: Set<ExtensionPolicy.AttestedFact>, _ mode: RolloutMode = .enforce,
        buckets: Int = RolloutBucket.count
    ) -> RolloutPolicy {
        let rollout = AppRollout(
            mode: mode, bucketsWithin: buckets, extensions: ExtensionPolicy(notBelowAttested: facts))
        return RolloutPolicy(digest: .hash([1]), apps: [app: rollout])
    }

    private func device(_ attested: AttestedApp = Self.attested) -> RolloutDevice {
        RolloutDevice(key: Self.key, osVersion: nil, attestedApp: attested)
    }

    /// What an assertion signs about an app with such statements.
    private func signed(_ category: UInt32, _ version: String) throws -> AuthenticatorExtensions {
        let statements = AppExtensions(validationCategory: category, bundleVersion: version)
        let device = SimulatedDevice(appID: Self.app.text, statements: statements)
        let hash = [UInt8](repeating: 1, count: 32)
        let verified = try AssertionVerifier().verify(
            device.assertion(clientDataHash: hash), clientDataHash: hash,
            publicKey: AssertionKey(x963: device.publicKey), appID: Self.app)
        return try #require(verified.extensions)
    }

    @Test(arguments: [
        (UInt32(4), "1314", [RolloutRequirement]()), (2, "1314.0.0.1", []), (4, "2000", []), (10, "1400", []),
        (4, "1313.9", [.bundleVersionAttested]), (3, "1400", [.validationCategoryAttested]),
        (5, "57", [.bundleVersionAttested, .validationCategoryAttested]), (4, "57b1", []),
    ])
    func `only what is lower than every attestation is not met`(
        category: UInt32, version: String, unmet: [RolloutRequirement]
    ) throws {
        let ruling = try #require(
            Self.policy(Self.both).ruling(on: device(), of: Self.app, extensions: signed(category, version)))
        #expect(ruling.unmet == unmet)
        #expect(ruling.rejection == (unmet.isEmpty ? nil : .extensionsNotAllowed))
        #expect(ruling.facts.attestedBundleVersion == "1314" && ruling.facts.attestedValidationCategory == 2)
        let text = try JSONEncoder().encode(ruling)
        #expect(try JSONDecoder().decode(RolloutRuling.self, from: text) == ruling)
    }

    @Test func `nothing is compared, or recorded, unless it is asked for`() throws {
        let lower = try signed(3, "1")
        for facts in [[], [.bundleVersion], [.validationCategory]] as [Set<ExtensionPolicy.AttestedFact>] {
            let ruling = try #require(Self.policy(facts).ruling(on: device(), of: Self.app, extensions: lower))
            #expect(ruling.unmet.contains(.bundleVersionAttested) == facts.contains(.bundleVersion))
            #expect(ruling.unmet.contains(.validationCategoryAttested) == facts.contains(.validationCategory))
            #expect((ruling.facts.attestedBundleVersion != nil) == facts.contains(.bundleVersion))
            #expect((ruling.facts.attestedValidationCategory != nil) == facts.contains(.validationCategory))
        }
    }

    @Test func `what was not attested, or is not signed, is held against nobody`() throws {
        let policy = Self.policy(Self.both)
        let before27 = try #require(
            policy.ruling(on: device(AttestedApp()), of: Self.app, extensions: signed(3, "1")))
        #expect(before27.unmet.isEmpty && before27.facts.attestedBundleVersion == nil)
        let unsigned = try #require(policy.ruling(on: device(), of: Self.app, extensions: nil))
        #expect(unsigned.unmet.isEmpty && unsigned.rejection == nil)
    }

    @Test func `a capture may be refused for it only where it is enforced on what was attested`() throws {
        let other = try #require(AppID("TEAM123456.com.example.other"))
        #expect(Self.policy(Self.both).isHeldToAttested(device(), of: Self.app))
        #expect(Self.policy([.bundleVersion]).isHeldToAttested(device(), of: Self.app))
        #expect(!Self.policy([]).isHeldToAttested(device(), of: Self.app))
        #expect(!Self.policy(Self.both, .monitor).isHeldToAttested(device(), of: Self.app))
        #expect(!Self.policy(Self.both, buckets: 0).isHeldToAttested(device(), of: Self.app))
        #expect(!Self.policy(Self.both).isHeldToAttested(device(AttestedApp()), of: Self.app))
        #expect(!Self.policy(Self.both).isHeldToAttested(device(), of: other))
    }
}
