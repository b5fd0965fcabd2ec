import CaptureOperations
import Testing

struct PluralTests {
    @Test(arguments: [(0, "0 captures"), (1, "1 capture"), (2, "2 captures"), (10_000, "10000 captures")])
    func `one has a noun in the singular`(count: Int, words: String) {
        #expect(Plural.text(count, "capture") == words)
    }

    @Test func `a number is written as asked, and may be more`() {
        #expect(Plural.text(1, "capture", number: { "<\($0)>" }) == "<1> capture")
        #expect(Plural.text(10_000, "capture", orMore: true) == "10000 or more captures")
    }
}
