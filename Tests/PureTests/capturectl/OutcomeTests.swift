import CaptureModel
import Foundation
import Testing

@testable import GatewayClient
@testable import capturectl

@Suite("What simulated captures come to, and what they have to")
struct OutcomeTests {
    private let capture = CaptureID(UUID())

    private func settled(_ state: CaptureState, _ reason: Reason? = nil) throws -> Outcome {
        var data: [String: JSONValue] = ["capture_id": .string("\(capture)"), "status": .string(state.rawValue)]
        if let reason { data["reason"] = .string(reason.rawValue) }
        return .answered(try #require(CaptureStatus(.object(data))))
    }

    /// Which of the two it is hangs on whether the first one is settled when the second one comes.
    @Test func `another signature of an earlier capture is that capture, or a replay`() throws {
        let expectation = Scenario.malleated.expectation(level: .secureEnclave)
        #expect(Outcome.sameCapture(capture).meets(expectation))
        #expect(try settled(.rejected, .counterReplay).meets(expectation))
        #expect(try !settled(.rejected, .counterStale).meets(expectation))
        #expect(try !settled(.verified).meets(expectation))
    }

    @Test func `a retry is never rejected, and a replay never the same capture`() throws {
        #expect(try !settled(.rejected, .counterReplay).meets(Scenario.retried.expectation(level: .secureEnclave)))
        #expect(!Outcome.sameCapture(capture).meets(Scenario.replayed.expectation(level: .secureEnclave)))
    }
}
