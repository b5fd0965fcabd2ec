import DeviceSimulator
import Multipart
import Testing

@Suite struct MultipartParserTests {
    /// Content that nearly is a boundary in every way.
    static let lookAlikes =
        "\r\r\n\r\n--\r\n--front\r\n-\r\n--frontie\r\n\n--frontier --frontier\r\n --frontier-- \r\n--Frontier\r\r"

    static var body: String {
        "preamble\r\n" + Form.part("photo", lookAlikes, headers: "Content-Type: image/jpeg\r\n")
            + Form.part("empty", "") + Form.part("metadata", "{}")
            + "--frontier--\r\nepilogue --frontier"
    }

    @Test func `parts come with their names, types and contents`() throws {
        let parts = try Form.parse(Array(Self.body.utf8))
        try #require(parts.map(\.part.name) == ["photo", "empty", "metadata"])
        #expect(parts[0].part.contentType == "image/jpeg")
        #expect(parts[0].content == Array(Self.lookAlikes.utf8))
        #expect(parts[1].content.isEmpty)
        #expect(parts[2].content == Array("{}".utf8))
    }

    @Test(arguments: 1...100) func `a body cut into equal pieces gives the same parts`(size: Int) throws {
        let whole = try Form.parse(Array(Self.body.utf8))
        let pieces = try Form.parse(Array(Self.body.utf8), sizes: [size])
        #expect(pieces.count == 3 && pieces == whole)
    }

    @Test func `a body cut in two anywhere gives the same parts`() throws {
        let body = Array(Self.body.utf8)
        let whole = try Form.parse(body)
        #expect(whole.count == 3)
        for cut in 1..<body.count {
            let halves = try Form.parse(body, sizes: [cut, .max])
            #expect(halves == whole, "cut at \(cut)")
        }
    }

    @Test(arguments: 0..<64 as Range<UInt64>)
    func `random contents in random pieces come out as they went in`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // An alphabet of the delimiter's own characters makes near misses the rule.
        let alphabet = Array("\r\r\n\n--frontier".utf8)
        var body: [UInt8] = []
        var contents: [[UInt8]] = []
        for number in 0..<Int.random(in: 1...5, using: &random) {
            var content: [UInt8] = []
            for _ in 0..<Int.random(in: 0...400, using: &random) {
                content.append(alphabet.randomElement(using: &random) ?? 0)
                if content.suffix(8) == Array("frontier".utf8) { content.removeLast() }
            }
            contents.append(content)
            body += Array("--frontier\r\nContent-Disposition: form-data; name=p\(number)\r\n\r\n".utf8)
            body += content + Array("\r\n".utf8)
        }
        body += Array("--frontier--".utf8)
        let sizes = (0..<2000).map { _ in Int.random(in: 1...40, using: &random) }
        let parts = try Form.parse(body, sizes: sizes)
        #expect(parts.map(\.content) == contents)
    }

    @Test func `content is handed out as offsets of the chunk that it came in`() throws {
        var parser = MultipartParser(boundary: try MultipartBoundary(text: "frontier"))
        let body = Array((Form.part("a", "hello") + "--frontier--").utf8)
        var position = 0
        var events: [MultipartEvent] = []
        while let event = try parser.next(in: body.span, at: &position) { events.append(event) }
        try #require(events.count == 4)
        #expect(events.first == .partBegin(MultipartPart(name: "a")))
        guard case .bytes(let range) = events[1] else {
            Issue.record("no content")
            return
        }
        #expect(Array(body[range]) == Array("hello".utf8))
        #expect(events.suffix(2) == [.partEnd, .end])
    }

    @Test func `blanks behind a boundary are its padding`() throws {
        let body = "--frontier \t \r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--frontier-- \t\r\n"
        #expect(try Form.parse(Array(body.utf8)).map(\.content) == [[UInt8(ascii: "x")]])
    }

    @Test func `the empty line may at once be the start of the next boundary`() throws {
        let body = "--frontier\r\nContent-Disposition: form-data; name=a\r\n\r\n--frontier--"
        for size in 1...body.utf8.count {
            let parts = try Form.parse(Array(body.utf8), sizes: [size])
            #expect(parts.map(\.content) == [[]])
        }
    }

    @Test func `a content of hyphens is not mistaken for a boundary`() throws {
        let body = Form.part("a", "--fron") + Form.part("b", "-") + "--frontier--"
        for size in 1...body.utf8.count {
            let parts = try Form.parse(Array(body.utf8), sizes: [size])
            #expect(parts.map(\.content) == [Array("--fron".utf8), Array("-".utf8)])
        }
    }

    @Test(arguments: ["7bit", "8bit", "binary", "Binary"])
    func `a part may say that nothing was done to its bytes`(encoding: String) throws {
        let headers = "Content-Transfer-Encoding: \(encoding)\r\n"
        let parts = try Form.parse(Array((Form.part("a", "x", headers: headers) + "--frontier--").utf8))
        #expect(parts.map(\.content) == [Array("x".utf8)])
    }

    @Test func `a body without parts is a body`() throws {
        #expect(try Form.parse(Array("--frontier--".utf8)).isEmpty)
    }

    @Test func `a part may come with a file name as browsers and libraries send it`() throws {
        let body =
            "--frontier\r\ncontent-disposition: FORM-DATA; Name=\"p\\\"q\"; filename=\"C:\\dir\\ü.jpg\"; x=y;\r\n\r\n"
            + "\r\n--frontier--"
        let parts = try Form.parse(Array(body.utf8))
        #expect(parts.map(\.part) == [MultipartPart(name: "p\"q")])
    }

    @Test func `eight megabytes of carriage returns pass`() throws {
        let content = [UInt8](repeating: 0x0D, count: 1 << 16)
        var parser = MultipartParser(boundary: try MultipartBoundary(text: "frontier"))
        let head = Array("--frontier\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8)
        var received = 0
        for chunk in [head] + [[UInt8]](repeating: content, count: 128) + [Array("\r\n--frontier--".utf8)] {
            var position = 0
            while let event = try parser.next(in: chunk.span, at: &position) {
                switch event {
                case .bytes(let range): received += range.count
                case .carried(let bytes): received += bytes.count
                default: break
                }
            }
        }
        try parser.finish()
        #expect(received == 128 << 16)
    }
}
