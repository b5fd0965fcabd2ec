import CaptureOperations
import Testing

@Suite("The reason of a revocation")
struct RevocationReasonTests {
    @Test(arguments: [
        ("", false), ("x", true), (String(repeating: "é", count: 250), true),
        (String(repeating: "x", count: 501), false), ("a\0b", false), ("a\nb", false), ("a\u{85}b", false),
    ])
    func `is taken by its bytes and without control characters, whoever gives it`(text: String, isTaken: Bool) {
        #expect((RevocationReason(text)?.text == text) == isTaken)
        #expect(RevocationReason.rule == "1 to 500 bytes without control characters")
    }
}
