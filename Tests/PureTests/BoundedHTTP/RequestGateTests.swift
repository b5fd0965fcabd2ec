import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BoundedHTTP

@Suite("What a connection keeps of what its client sends ahead")
struct RequestGateTests {
    /// Small as bytes, and large when it is parsed.
    private let request = "GET / HTTP/1.1\r\n" + String(repeating: "A:\r\n", count: 99) + "\r\n"

    // MARK: Requests without answers

    @Test func `requests wait as bytes for the answers to those before, and none is lost`() throws {
        let connection = try GatedConnection()
        try connection.receive(String(repeating: request, count: 70))
        var heads = try connection.heads().count
        #expect(heads == 1)
        #expect(!connection.reads())
        for _ in 0..<70 {
            _ = try connection.answer()
            heads += try connection.heads().count
        }
        #expect(heads == 70)
        #expect(connection.reads())
    }

    @Test func `what is more than may wait is dropped, and what waits is answered before the connection ends`() throws {
        let connection = try GatedConnection()
        try connection.receive(request)
        try connection.receive(String(repeating: request, count: 200))
        try connection.receive(String(repeating: request, count: 200))
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(connection.channel.isActive && !connection.reads())
        var heads = try connection.heads().count
        var answers = 0
        while connection.channel.isActive, answers < heads {
            // At the end the parser complains that it was in the middle of a head.
            guard (try? connection.answer()) != nil else { break }
            answers += 1
            heads += try connection.heads().count
        }
        #expect(!connection.channel.isActive)
        // Those who see to it that answers reach their client are behind the gate.
        #expect(connection.closes == [.output])
        #expect(heads == 1 + (64 << 10) / request.utf8.count)
    }

    /// Wherever a read ends, which may be within the line breaks between two requests.
    @Test(arguments: 1...36)
    func `small requests are parsed one by one, however their bytes come`(count: Int) throws {
        let connection = try GatedConnection()
        let bytes = String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 3)
        // By bytes: a line break is one character.
        try connection.receive(String(Substring(bytes.utf8.prefix(count))))
        try connection.receive(String(Substring(bytes.utf8.dropFirst(count))))
        for _ in 1...3 {
            let heads = try connection.heads()
            #expect(heads.map { $0.headers["Connection"] } == [[]])
            _ = try connection.answer()
        }
        #expect(try connection.heads().isEmpty)
    }

    @Test func `a body whose length has blanks behind it does not cost the connection`() throws {
        let connection = try GatedConnection()
        try connection.receive(
            "POST /a HTTP/1.1\r\nContent-Length: 1 \r\n\r\nx" + "GET /b HTTP/1.1\r\n\r\n" + "GET /c HTTP/1.1\r\n\r\n")
        var heads = try connection.heads()
        for _ in 1...3 {
            _ = try connection.answer()
            heads += try connection.heads()
        }
        #expect(heads.map(\.uri) == ["/a", "/b", "/c"])
        #expect(heads.allSatisfy { $0.headers["Connection"].isEmpty })
    }

    @Test func `while a request is answered the socket is read, so that its end is noticed`() throws {
        let connection = try GatedConnection()
        try connection.receive(request)
        #expect(connection.reads())
    }

    @Test func `a client that closes its side is answered all that it asked before`() throws {
        let connection = try GatedConnection()
        try connection.receive(String(repeating: request, count: 20))
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        var heads = try connection.heads().count
        for _ in 0..<20 {
            _ = try connection.answer()
            heads += try connection.heads().count
        }
        #expect(heads == 20)
    }

    // MARK: No HTTP any more

    @Test(arguments: [
        "CONNECT a:80 HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    ])
    func `what follows CONNECT or a request to upgrade is not read`(request: String) throws {
        let connection = try GatedConnection()
        try connection.receive(request)
        #expect(!connection.reads())
        // As when the client has closed its side: NIO reads what the kernel has.
        try connection.receive(String(repeating: "x", count: 1 << 20))
        #expect(connection.pieces == 1)
    }

    @Test func `a request to upgrade is its connection's last, and its answer says so`() throws {
        let connection = try GatedConnection()
        try connection.receive(request)
        #expect(try connection.answer()?.headers["Connection"] == [])
        try connection.receive("GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n")
        let head = try #require(try connection.heads().last)
        #expect(head.headers["Connection"] == ["close"] && !head.headers.contains(name: "Upgrade"))
        #expect(try connection.answer()?.headers["Connection"] == ["close"])
    }

    /// The parser goes on where a request says `Upgrade` without `Connection: upgrade`.
    @Test(arguments: ["GET /b HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n"])
    func `what came with a connection's last request is read by nobody, and its answer says that it is last`(
        more: String
    ) throws {
        let connection = try GatedConnection()
        try connection.receive("GET /a HTTP/1.1\r\nUpgrade: x\r\n\r\n" + more)
        let paths = try connection.heads().map(\.uri)
        #expect(paths == ["/a"] && !connection.reads())
        #expect(try connection.answer()?.headers["Connection"] == ["close"])
    }

    /// They would all be answered at once, and keep the event loop from everybody else.
    @Test func `of the requests that came with the end of a body in chunks one is answered, as the last`() throws {
        let connection = try GatedConnection()
        try connection.receive("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        try connection.receive("0\r\n\r\n" + String(repeating: "GET /b HTTP/1.1\r\n\r\n", count: 200))
        let heads = try connection.heads()
        #expect(heads.map(\.uri) == ["/a", "/b"] && !connection.reads())
        #expect(heads.map { $0.headers["Connection"] } == [[], ["close"]])
        #expect(try connection.answer()?.headers["Connection"] == [])
        #expect(try connection.answer()?.headers["Connection"] == ["close"])
        #expect(try connection.heads().isEmpty)
    }

    @Test func `a request that comes behind the end of a body in chunks is not the connection's last`() throws {
        let connection = try GatedConnection()
        for _ in 0..<2 {
            try connection.receive("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            #expect(try connection.heads().map { $0.headers["Connection"] } == [[]])
            #expect(try connection.answer()?.headers["Connection"] == [])
        }
    }

    @Test func `a request of HTTP/1.0 is its connection's last, unless it asks to keep it`() throws {
        let connection = try GatedConnection()
        try connection.receive("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try connection.answer()?.headers["Connection"] == [])
        try connection.receive("GET / HTTP/1.0\r\n\r\n")
        #expect(try connection.heads().last?.headers["Connection"] == ["close"])
        #expect(try connection.answer()?.headers["Connection"] == ["close"])
    }

    /// RFC 9112 section 9.6: the word is one of a list, in any case.
    @Test(arguments: ["close", "Close", "TE, close", "keep-alive, CLOSE"])
    func `a request that asks to close is its connection's last, however it says so`(field: String) throws {
        let connection = try GatedConnection()
        try connection.receive("GET /a HTTP/1.1\r\nConnection: \(field)\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
        let heads = try connection.heads()
        #expect(heads.map(\.uri) == ["/a"] && heads.first?.headers["Connection"] == ["close"])
        #expect(try connection.answer()?.headers["Connection"] == ["close"])
    }

    @Test(arguments: ["keep-alive", "TE", "closed", "c\u{323}\u{301}"])
    func `what else is said of the connection nobody else hears`(field: String) throws {
        let connection = try GatedConnection()
        try connection.receive("GET / HTTP/1.1\r\nConnection: \(field)\r\n\r\n")
        #expect(try connection.heads().first?.headers.contains(name: "Connection") == false)
        #expect(try connection.answer()?.headers["Connection"] == [])
    }

    @Test func `what comes behind a failure of the parser is read and thrown away`() throws {
        let connection = try GatedConnection()
        #expect(throws: HTTPParserError.self) { try connection.receive("nonsense\r\n\r\n") }
        try connection.receive(String(repeating: "x", count: 1 << 20))
        #expect(connection.reads() && connection.pieces == 1)
    }

    /// A server that has answered reads the rest of the body, and answers once more if that cannot be parsed.
    @Test(arguments: [true, false])
    func `a request whose body cannot be parsed is answered once, as the last`(isAnsweredBefore: Bool) throws {
        let connection = try GatedConnection()
        try connection.receive("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        let early = isAnsweredBefore ? try connection.answer() : nil
        #expect(throws: HTTPParserError.self) { try connection.receive("nonsense\r\n") }
        let late = try connection.answer()
        #expect(isAnsweredBefore ? early != nil && late == nil : late?.headers["Connection"] == ["close"])
        #expect(try connection.answer() == nil)
    }

    // MARK: Nothing comes out of the parser

    @Test func `empty lines before a request go to the parser together with it`() throws {
        let connection = try GatedConnection()
        try connection.receive(String(repeating: "\r\n", count: 500) + "GET / HTTP/1.1\r\n\r\n")
        #expect(try connection.heads().count == 1)
        #expect(connection.pieces == 1)
    }

    @Test func `blanks without end before a field's value end the connection`() throws {
        let connection = try GatedConnection()
        try connection.receive("GET / HTTP/1.1\r\nA:")
        for _ in 0..<7 { try connection.receive(String(repeating: " ", count: 8 << 10)) }
        #expect(connection.channel.isActive)
        // The parser complains that it was in the middle of a head.
        try? connection.receive(String(repeating: " ", count: 8 << 10))
        #expect(!connection.channel.isActive)
    }

    @Test func `a large head, and a body of many times what may be kept, go through`() throws {
        let connection = try GatedConnection(unparsedBytesMax: 8 << 10)
        let fields = (0..<60).map { "X-\($0): \(String(repeating: "y", count: 100))\r\n" }.joined()
        try connection.receive("POST / HTTP/1.1\r\n\(fields)Content-Length: 300000\r\n\r\n")
        #expect(try connection.heads().count == 1)
        let before = connection.pieces
        for _ in 0..<10 { try connection.receive(String(repeating: "x", count: 30_000)) }
        // Whole, as they came.
        #expect(connection.pieces == before + 10)
        #expect(try connection.parts().last == .end(nil))
        #expect(connection.channel.isActive)
    }

    @Test func `behind a body whose length is known wait the requests that came with it`() throws {
        let connection = try GatedConnection()
        try connection.receive("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n")
        try connection.receive("x" + String(repeating: request, count: 70))
        #expect(try connection.heads().count == 1)
    }

    // MARK: Chunks

    @Test func `what one read brings of a body goes on as one part`() throws {
        let connection = try GatedConnection()
        try connection.receive("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        _ = try connection.parts()
        try connection.receive(String(repeating: "1\r\nx\r\n", count: 1000))
        #expect(try connection.parts() == [.body(ByteBuffer(string: String(repeating: "x", count: 1000)))])
        try connection.receive("1\r\ny\r\n0\r\n\r\n")
        #expect(try connection.parts() == [.body(ByteBuffer(string: "y")), .end(nil)])
    }
}
