import Testing

@testable import capturectl

@Suite("Tables for people")
struct TextTableTests {
    private func table(_ rows: [[String]]) -> TextTable {
        var table = TextTable([("model", .leading), ("count", .trailing)])
        for row in rows { table.append(row) }
        return table
    }

    @Test func `tables for people are lined up by what is seen of a text, not by its characters`() {
        let lines = table([["iPhone", "1"], ["東京", "22"], ["é😀", "3"]]).text.split(separator: "\n")
        #expect(lines == ["model   count", "──────  ─────", "iPhone      1", "東京       22", "é😀         3"])
    }

    @Test func `tables for people are cut where they do not fit, between characters`() {
        let lines = table([["東京東京東京東京", "1"]]).text(
            for: Terminal(columns: 20, isTinted: false), flexible: 0
        ).split(separator: "\n")
        #expect(lines.last == "東京東京東京…      1", "\(lines)")
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 20 }, "\(lines)")
    }

    /// Cut and wrapped, a row would be long and say little.
    @Test func `tables for people are not cut where their rows wrap in any case`() {
        let text = String(repeating: "word ", count: 10)
        for (columns, isCut) in [(19, true), (18, false)] {
            let shown = table([[text, "1"]]).text(for: Terminal(columns: columns, isTinted: false), flexible: 0)
            #expect(shown.contains("…") == isCut && shown.contains(text) != isCut, "\(shown)")
        }
    }
}
