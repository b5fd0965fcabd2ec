import CaptureModel
import Testing

@testable import CaptureProcessing

@Suite("A genuine capture beside its device's registration")
struct RegistrationCheckTests {
    private func metadata(_ registered: KeyFixture.Registered) async throws -> (check: Check?, confidence: Confidence) {
        let result = try await KeyFixture().verified(registered) { _ in }
        #expect(result.outcome.rejection == nil)
        return (result.checks.first { $0.name == .metadata }, result.outcome.confidence)
    }

    @Test func `a genuine capture passes all that is looked at`() async throws {
        let result = try await KeyFixture().verified(.init()) { _ in }
        #expect(result.checks.allSatisfy { $0.outcome == .pass } && result.outcome.confidence == .high)
        let media: Set<Check.Name> = [
            .photoStructure, .photoHash, .depthDecode, .depthPlausibility, .timestamp, .metadata,
        ]
        #expect(media.union([.device, .assertion]).isSubset(of: result.checks.map(\.name)))
    }

    @Test(arguments: [false, true])
    func `a genuine capture contradicts nothing where the device was enrolled without a model`(hasLidar: Bool)
        async throws
    {
        let (check, confidence) = try await metadata(.init(model: Device.modelUnknown, hasLidar: hasLidar))
        #expect(check == Check(.metadata, .unavailable, .notEvaluated))
        #expect(confidence == .high)
    }

    @Test(arguments: [KeyFixture.Registered(model: "iPhone8,1"), KeyFixture.Registered(hasLidar: false)])
    func `a genuine capture warns where model or sensor are others`(registered: KeyFixture.Registered) async throws {
        let (check, confidence) = try await metadata(registered)
        #expect(check == Check(.metadata, .fail, .metadataInconsistent))
        #expect(confidence == .medium)
    }
}
