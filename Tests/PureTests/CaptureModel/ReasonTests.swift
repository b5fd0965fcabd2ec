import CaptureModel
import Testing

@Suite("Reasons in words") struct ReasonTests {
    @Test(arguments: Reason.allCases)
    func `reasons in words say more than the code`(reason: Reason) {
        let code = reason.rawValue.lowercased().replacing("_", with: " ")
        #expect(!reason.explanation.isEmpty && reason.explanation != code)
    }
}
