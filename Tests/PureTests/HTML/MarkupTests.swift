import HTML
import Testing

@Suite struct `Pieces of pages` {
    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\" onclick=\"x", "&quot; onclick=&quot;x"), ("a & b", "a &amp; b"), ("it's", "it&#39;s"), ("\0", "\u{FFFD}"),
        ("w\u{1B}]0;x\u{7}\u{9B}2J\u{7F}", "w\u{FFFD}]0;x\u{FFFD}\u{FFFD}2J\u{FFFD}"), ("a\tb\r\nc", "a\tb\r\nc"),
        ("\u{202E}evil\u{2066}\u{2028}", "\u{FFFD}evil\u{FFFD}\u{FFFD}"), ("1\u{202F}000", "1\u{202F}000"),
        ("ümlaut 漢字 👍🏽", "ümlaut 漢字 👍🏽"),
    ])
    func `markup shows text as it is read, wherever it stands`(text: String, escaped: String) {
        #expect(Markup(text).text == escaped)
        #expect(Markup.p("title" => text) { text }.text == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test(arguments: [
        "javascript:alert(1)", "https://elsewhere.example", "//elsewhere.example", "/\\elsewhere", "data:x",
        "//\u{FE0F}evil.example/x", "/\\\u{FE0F}evil", "/\t/evil.example",
    ])
    func `markup leads to no other place than its own`(address: String) {
        #expect(Markup.a("href" => address) { "x" }.text == "<a href=\"#\">x</a>")
    }

    @Test(arguments: ["/dashboard", "?after=1", "#main"])
    func `markup leads to its own places`(address: String) {
        #expect(Markup.a("href" => address) { "x" }.text == "<a href=\"\(address)\">x</a>")
    }

    @Test func `markup is put together of pieces, lists and choices`() {
        let some: String? = nil
        let list = Markup.div {
            for number in 1...2 { Markup.li { number } }
            if let some { Markup.li { some } } else { Markup.li("class" => "none") { "none" } }
        }
        #expect(list.text == #"<div><li>1</li><li>2</li><li class="none">none</li></div>"#)
        #expect(
            Markup.element("option", ["value" => "a"] + Attribute.flag("selected")) { "a" }.text
                == #"<option value="a" selected>a</option>"#)
        #expect(Markup.img().document == "<!doctype html>\n<img>\n")
    }

    @Test func `markup takes no handler as an attribute`() async throws {
        let stopped = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Markup.p("onclick" => "x") { "" }
        }
        #expect(stopped.errorText.contains("onclick: handlers are not written into pages"))
    }
}
