import CaptureOperations
import Testing

@Suite("The reason of a revocation")
struct RevocationReasonTests {
    @Test(arguments: [
        ("", false), ("x", true), (String(repeating: "é", count: 250), true),
        (String(repeating: "x", count: 501), false),
    ])
    func `is taken by its bytes, whoever gives it`(text: String, isTaken: Bool) {
        #expect((RevocationReason(text)?.text == text) == isTaken)
        #expect(RevocationReason.rule == "1 to 500 bytes")
    }
}
