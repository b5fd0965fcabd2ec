import Testing

@testable import capturectl

@Suite("What is drawn in place on a terminal")
struct FrameTests {
    private let small = Terminal(columns: 10, rows: 6, isTinted: true)

    @Test func `a frame on a terminal has its first lines and its foot, and leaves the last row to the cursor`() {
        let lines = small.frame("one\ntwo\nthree\nfour", foot: "foot").split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 5 && lines[0] == "one" && lines[1] == "two" && lines[4] == "foot")
        #expect(lines[2].hasPrefix("\u{1B}[2m… and 2 l…"), "\(lines)")
        #expect(small.frame("one\ntwo\nthree", foot: "foot") == "one\ntwo\nthree\n\nfoot")
    }

    @Test(arguments: [
        ("0123456789", "0123456789"), ("0123456789a", "012345678…"), ("", ""),
        ("\u{1B}[31m0123456789\u{1B}[0m", "\u{1B}[31m0123456789\u{1B}[0m"),
        ("\u{1B}[31m0123456789a\u{1B}[0m", "\u{1B}[31m012345678…\u{1B}[0m"),
        ("東京東京東", "東京東京東"), ("東京東京東京", "東京東京…"),
    ])
    func `a frame on a terminal has no line that is wider`(line: String, cut: String) {
        #expect(small.cut(line) == cut)
    }

    @Test(arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("東京", 4), ("한글", 4), ("ｶﾅ", 2), ("😀", 2), ("—…✓", 3)])
    func `a frame on a terminal is measured in columns`(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }
}
