import CaptureModel
import Testing

@Suite("A verdict and its reason") struct DecisionTests {
    @Test func `a verified capture has no reason, and a rejected one has one`() {
        #expect(Decision(.verified, nil) == .verified)
        #expect(Decision(.rejected, .photoMalformed) == .rejected(.photoMalformed))
        #expect(Decision(.verified, .photoMalformed) == nil)
        #expect(Decision(.rejected, nil) == nil)
    }

    @Test(arguments: [Decision.verified, .rejected(.counterReplay)])
    func `a decision is made again of its verdict and its reason`(decision: Decision) {
        #expect(Decision(decision.verdict, decision.reason) == decision)
    }
}
