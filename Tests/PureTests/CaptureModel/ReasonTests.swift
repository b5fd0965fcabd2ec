import CaptureModel
import Testing

@Suite("Reasons in words") struct ReasonTests {
    @Test(arguments: Reason.allCases)
    func `reasons in words say more than the code`(reason: Reason) {
        let code = reason.rawValue.lowercased().replacing("_", with: " ")
        #expect(!reason.explanation.isEmpty && reason.explanation != code)
    }

    /// A counter of 0 is stale whenever it comes.
    @Test func `a stale counter of a redriven capture is told with what may have been the cause`() {
        let words = Reason.counterStale.explanation(redriven: true)
        #expect(words.hasPrefix("\(Reason.counterStale.explanation); ") && words.contains("may have been settled"))
        #expect(Reason.counterStale.explanation(redriven: false) == Reason.counterStale.explanation)
        #expect(Reason.counterReplay.explanation(redriven: true) == Reason.counterReplay.explanation)
    }
}
