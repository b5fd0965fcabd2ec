import CaptureModel
import CaptureStore
import Testing

@Suite struct `The beginning of an id` {
    private static let id = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

    @Test(arguments: IDPrefix.charactersMin...36)
    func `every beginning of an id that is long enough has that id between its ends`(count: Int) throws {
        let text = String(Self.id.prefix(count))
        for text in [text, text.uppercased()] {
            let prefix = try #require(IDPrefix(text))
            let (low, high) = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
            #expect(prefix.lowest.description == text.lowercased() + String(low.dropFirst(count)))
            #expect(prefix.highest.description == text.lowercased() + String(high.dropFirst(count)))
        }
    }

    @Test(arguments: [
        "", "0197f3a", "0197f3a27", "0197f3a2-7f3e7", "0197f3ag", "-0197f3a", "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e210",
        "cfc960e28700", "0197f3a2 ", "０１９７f3a2", "0197f3a\u{301}",
    ])
    func `what no id begins with, and what is too short, is none`(text: String) {
        #expect(IDPrefix(text) == nil)
    }
}
