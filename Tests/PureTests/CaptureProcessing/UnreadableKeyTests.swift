import CaptureModel
import Testing

@testable import CaptureProcessing

@Suite("A device with a key that cannot be read")
struct UnreadableKeyTests {
    @Test func `its captures are rejected as not signed by it`() async throws {
        let device = KeyFixture.Registered(level: .unverified, hasReadableKey: false)
        let result = try await KeyFixture().verified(device) { _ in }
        #expect(result.outcome.rejection == .signatureInvalid && result.counter == nil)
        #expect(result.checks.contains(Check(.assertion, .fail, .signatureInvalid)))
    }
}
