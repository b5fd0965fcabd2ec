import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import CaptureGateway

@Suite("What is left of a request that is answered before its end")
struct RefusedRestTests {
    /// A server stops reading when it has ten parts of a body that no route takes, and this is such a server.
    @Test func `a request's rest is read although the server reads no further, so that its sender gets to the answer`()
        throws
    {
        let socket = SocketReads()
        let guardian = ConnectionGuard(limit: ConnectionLimit(connectionsMax: 1))
        let channel = EmbeddedChannel(handlers: [socket, guardian])
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        let headers: HTTPHeaders = ["Host": "a", "Connection": "close", "Transfer-Encoding": "chunked"]
        try channel.writeInbound(
            HTTPServerRequestPart.head(.init(version: .http1_1, method: .POST, uri: "/", headers: headers)))
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "begins")))
        #expect(socket.count == 0)
        channel.write(HTTPServerResponsePart.head(.init(version: .http1_1, status: .unauthorized)), promise: nil)
        #expect(socket.count == 1)
        channel.write(HTTPServerResponsePart.end(nil), promise: nil)
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "goes on")))
        #expect(socket.count == 2)
        channel.embeddedEventLoop.advanceTime(by: .seconds(6))
        #expect(!channel.isActive)
    }
}
