import CaptureModel
import Testing

@testable import CaptureProcessing

/// The fixture's phone signs with `concat-v1`.
@Suite("A capture whose binding the configuration does not take")
struct BindingAllowanceTests {
    private let fixture = KeyFixture()

    @Test(arguments: AttestationLevel.allCases)
    func `a capture of a binding that is not taken is refused before its signature is looked at, whoever signed it`(
        level: AttestationLevel
    ) async throws {
        let refused = try await fixture.verified(.init(level: level)) { $0.bindings = [.framedV2] }
        #expect(refused.outcome.rejection == .bindingNotAllowed && refused.outcome.confidence == .none)
        #expect(refused.counter == nil)
        #expect(refused.checks.contains(Check(.device, .fail, .bindingNotAllowed)))
        #expect(refused.checks.contains(Check(.assertion, .unavailable, .notEvaluated)))
    }

    @Test func `a capture of a binding that is taken is verified as any other`() async throws {
        let taken = try await fixture.verified(.init()) { $0.bindings = [.concatV1] }
        #expect(taken.outcome.rejection == nil && taken.outcome.confidence == .high && taken.counter == 1)
    }
}
