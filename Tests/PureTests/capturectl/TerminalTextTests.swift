import Testing

@testable import capturectl

@Suite("Figures in words")
struct TerminalTextTests {
    @Test(arguments: [
        (Duration.milliseconds(130), "0.1 s"), (.microseconds(1_738_293), "1.7 s"), (.milliseconds(9_949), "9.9 s"),
        (.seconds(12), "12 s"), (.seconds(65), "1 min"), (.milliseconds(25), "0.1 s"), (.zero, "0.1 s"),
    ])
    func `a pause has as many digits as anybody wants to know`(pause: Duration, words: String) {
        #expect(TerminalText.pause(pause) == words)
    }

    @Test(arguments: [(0, "0 lanes are"), (1, "1 lane is"), (2, "2 lanes are")])
    func `a number of things has the verb of one thing only where it is one`(number: Int, words: String) {
        #expect(TerminalText.are(number, "lane") == words)
    }

    @Test(arguments: [(Int64(1_738_293), "1738.293"), (1, "0.001"), (86_400_000_001, "86400000.001"), (1_000, "1.0")])
    func `milliseconds are written to the microsecond, and no further`(microseconds: Int64, text: String) {
        #expect("\(Duration.microseconds(microseconds).milliseconds)" == text)
    }
}
