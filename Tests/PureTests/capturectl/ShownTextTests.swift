import CaptureModel
import Foundation
import Testing

@testable import GatewayClient
@testable import capturectl

@Suite("Others' words on a terminal")
struct ShownTextTests {
    private static let hostile: [(String, String)] = [
        ("\u{1B}[2J\u{1B}]0;title\u{07}", #"\u001b[2J\u001b]0;title\u0007"#), ("a\nverified\r", #"a\nverified\r"#),
        ("\u{9B}31m\u{7F}", #"\u009b31m\u007f"#), ("a\u{2028}b\u{2029}", #"a\u2028b\u2029"#),
        ("\u{202E}desufer\u{2066}", #"\u202edesufer\u2066"#), ("a\tb", #"a\tb"#),
    ]

    @Test(arguments: hostile)
    func `others' words on a terminal steer nothing, and stay in their line and in its order`(
        text: String, shown: String
    ) {
        #expect(ShownText.line(text) == shown)
        var facts = FactList(on: Terminal(columns: 80, isTinted: true))
        facts.add("reason", text, .bad)
        facts.add("audit", [text])
        let tinted = Terminal.escaped(shown, .bad)
        #expect(facts.text == "reason  \(tinted)\naudit   \(shown)")
        var table = TextTable([("reason", .leading)])
        table.append([text])
        #expect(table.text.hasSuffix("\n\(shown)"), "\(table.text)")
    }

    @Test(arguments: ["plain", "Grüße, 東京 👩‍👩‍👧", #"back\slash "quoted""#, "", "\u{200F}שלום"])
    func `others' words on a terminal are shown as they are where they steer nothing`(text: String) {
        #expect(ShownText.line(text) == text && ShownText.lines(text) == text && ShownText.json(text) == text)
    }

    @Test func `others' words on a terminal that are several lines of ours stay several`() {
        #expect(ShownText.lines("one\ntwo\u{1B}[H\n") == "one\ntwo\\u001b[H\n")
    }

    @Test func `a gateway's words are no exception on a terminal`() throws {
        let answer: [String: JSONValue] = [
            "capture_id": .string("\(CaptureID(UUID()))"), "status": .string("failed"), "fault": .string("\u{1B}[8m"),
            "reason": .string("NEW\u{9B}1m"),
        ]
        let status = try #require(CaptureStatus(.object(answer)))
        let text = SubmitAnswer(status, isDuplicate: false).text(on: Terminal(columns: nil, isTinted: false))
        #expect(text.contains(#"\u001b[8m"#) && text.contains(#"NEW\u009b1m"#), "\(text)")
        #expect(!text.unicodeScalars.contains("\u{1B}") && !text.unicodeScalars.contains("\u{9B}"))
    }

    @Test func `others' words on a terminal mean the same in JSON, and steer nothing there either`() throws {
        let words = ["\u{1B}", "\u{7F}\u{85}\u{9F}", "\u{2028}\u{2029}", "\u{202A}\u{202E}\u{2066}\u{2069}", "é/\"\\"]
        for isIndented in [false, true] {
            let text = try JSONText.write(["words": words], isIndented: isIndented)
            #expect(try JSONDecoder().decode([String: [String]].self, from: Data(text.utf8)) == ["words": words])
            #expect(text.contains(#"\u007f\u0085\u009f"#) && text.contains(#"\u2028\u2029"#), "\(text)")
            #expect(text.contains(#"\u202a\u202e\u2066\u2069"#) && text.contains("é/"), "\(text)")
        }
    }
}
