import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BoundedHTTP

@Suite("What a connection reads of bodies before a route wants them")
struct UnaskedBodyTests {
    /// The most that is read of them.
    private let beginning = String(repeating: "x", count: 8 << 10)

    @Test(arguments: ["Content-Length: 300000", "Transfer-Encoding: chunked"])
    func `of a body only the beginning is read before a route asks for it`(length: String) throws {
        let connection = try GatedConnection()
        let frame = length.hasPrefix("Content") ? "" : "493e0\r\n"
        try connection.receive("POST / HTTP/1.1\r\n\(length)\r\n\r\n\(frame)")
        #expect(connection.reads())
        try connection.receive(beginning)
        #expect(!connection.reads())
        let before = connection.socketReads
        try connection.askForBody()
        #expect(connection.socketReads == before + 1)
        try connection.receive(beginning)
        #expect(connection.reads())
    }

    @Test func `what is left of a body is read once its request is answered without it`() throws {
        let connection = try GatedConnection()
        try connection.receive("POST / HTTP/1.1\r\nContent-Length: 300000\r\n\r\n")
        try connection.receive(beginning)
        #expect(!connection.reads())
        try connection.channel.writeOutbound(
            HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        #expect(!connection.reads())
        let before = connection.socketReads
        _ = try connection.answer()
        #expect(connection.socketReads == before + 1)
        try connection.receive(beginning)
        #expect(connection.reads())
    }

    @Test func `whoever asks for a body asks for no later request's`() throws {
        let connection = try GatedConnection()
        try connection.receive(
            "POST /a HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"
                + "POST /b HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + beginning)
        try connection.askForBody()
        _ = try connection.answer()
        #expect(try connection.heads().map(\.uri) == ["/a", "/b"])
        #expect(!connection.reads())
        try connection.askForBody()
        #expect(connection.reads())
    }

    @Test func `behind a connection's last answer every body is read, for its client to get that answer`() throws {
        let connection = try GatedConnection()
        try connection.channel.writeOutbound(
            HTTPServerResponsePart.head(
                HTTPResponseHead(version: .http1_1, status: .serviceUnavailable, headers: ["Connection": "close"])))
        try connection.channel.writeOutbound(HTTPServerResponsePart.end(nil))
        for _ in 0..<2 {
            try connection.receive("POST / HTTP/1.1\r\nContent-Length: 9000\r\n\r\n")
            try connection.receive(String(repeating: "x", count: 8999))
            #expect(connection.reads())
            try connection.receive("x")
        }
    }

    @Test func `what one read brings goes on in small parts where nobody knows how much will come`() throws {
        let connection = try GatedConnection()
        let read = String(repeating: "x", count: 30_000)
        try connection.receive("POST / HTTP/1.1\r\nContent-Length: 30000\r\n\r\n")
        try connection.receive(read)
        #expect(try connection.bodyBytes() == [30_000])
        _ = try connection.answer()
        try connection.receive("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7530\r\n")
        try connection.receive(read)
        let counts = try connection.bodyBytes()
        #expect(counts.reduce(0, +) == 30_000 && counts.max() == 2 << 10)
    }
}
