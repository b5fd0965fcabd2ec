import CaptureOperations
import Testing

@Suite("The reason of a revocation")
struct RevocationReasonTests {
    @Test(arguments: [
        ("", false), ("x", true), (String(repeating: "é", count: 250), true),
        (String(repeating: "x", count: 501), false), ("a\0b", false), ("a\nb", false), ("a\u{85}b", false),
        ("a\u{2028}b", false), ("a\u{2029}b", false), ("a\u{202E}b", false), ("a\u{2066}b", false),
        ("\u{5D2}\u{200F}", true), (" ", false), ("\u{200B}", false), ("\u{3164}\u{2800}", false),
    ])
    func `the reason of a revocation is taken in one line with something to see, whoever gives it`(
        text: String, isTaken: Bool
    ) {
        #expect((RevocationReason(text)?.text == text) == isTaken)
        let rule = "1 to 500 bytes in one line, with something to see in it and nothing that turns its order around"
        #expect(RevocationReason.rule == rule)
    }
}
