import AppAttest
import CaptureModel
import Rollout
import Testing

@testable import CaptureProcessing

/// The fixture's phone signs that its app is from the App Store, with the bundle version 1314.
@Suite("A capture of an app that is lower than attested")
struct AttestedCaptureTests {
    private func verified(
        _ attested: [String], _ mode: RolloutMode, asked: Bool = true
    ) async throws -> ExaminedCapture {
        var registered = KeyFixture.Registered()
        registered.attestedApp = AttestedApp(bundleVersions: attested, validationCategories: [4])
        let policy = ExtensionPolicy(notBelowAttested: asked ? [.bundleVersion, .validationCategory] : [])
        let rollout = RolloutPolicy(
            digest: .hash([1]), apps: [KeyFixture.app: AppRollout(mode: mode, extensions: policy)])
        return try await KeyFixture().verified(registered, rollout: rollout) { _ in }
    }

    @Test func `a capture of a lower app is refused where that is enforced, and says what was compared`() async throws {
        let refused = try await verified(["1400"], .enforce)
        #expect(refused.outcome.rejection == .extensionsNotAllowed && refused.outcome.confidence == .none)
        #expect(refused.checks.contains(Check(.rollout, .fail, .extensionsNotAllowed)))
        #expect(refused.rollout?.unmet == [.bundleVersionAttested])
        #expect(refused.rollout?.facts.bundleVersion == "1314")
        #expect(refused.rollout?.facts.attestedBundleVersion == "1400")
    }

    @Test func `a capture of a lower app is marked where that is only watched`() async throws {
        let marked = try await verified(["1400"], .monitor)
        #expect(marked.outcome.rejection == nil && marked.outcome.confidence == .high)
        #expect(marked.rollout?.wouldReject == .extensionsNotAllowed)
    }

    @Test(
        arguments: [
            (["1400"], false), (["1400", "1314"], true), (["1313"], true), (["beta"], true), ([], true),
        ] as [([String], Bool)])
    func `a capture of no lower app is verified as any other, and nobody asks unless told to`(
        attested: [String], asked: Bool
    ) async throws {
        let taken = try await verified(attested, .enforce, asked: asked)
        #expect(taken.outcome.rejection == nil && taken.outcome.confidence == .high)
        #expect(taken.rollout?.unmet.isEmpty == true)
    }
}
