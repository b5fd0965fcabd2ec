import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `One client's share of the connections` {
    /// Another address of this machine than the one that everybody else has here.
    private static let elsewhere: UInt32 = 0x7F00_0002

    @Test func `one client's share of the connections leaves places for other addresses, however slowly one goes on`()
        async throws
    {
        try await CapturesGateway.run {
            $0.connections.countMax = 8
        } _: { gateway in
            let head = gateway.uploadHead("Transfer-Encoding: chunked", "Expect: 100-continue")
            var (held, answers): ([RawConnection], [String]) = ([], [])
            for _ in 0..<8 {
                let connection = try RawConnection(port: gateway.port, from: Self.elsewhere)
                try await connection.send(head)
                let answer = try await connection.read { $0.contains("\r\n\r\n") }
                answers.append(String(answer.prefix(12)))
                held.append(connection)
            }
            // Each that was asked for its body may take the whole of the time that an upload has.
            let expected = [String](repeating: "HTTP/1.1 100", count: 6) + ["HTTP/1.1 503", "HTTP/1.1 503"]
            #expect(answers == expected)
            #expect(try await gateway.upload(gateway.capture()).status == 202)
            held.forEach { $0.close() }
            // SwiftNIO ends the process where a server is cancelled with a connection that nobody has taken over.
            _ = try await gateway.send(.GET, "/healthz", headers: [])
        }
    }

    /// A connection from an address.
    private func connection(from address: String, _ limit: ConnectionLimit) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: ConnectionGuard(limit: limit))
        try channel.connect(to: SocketAddress(ipAddress: address, port: 443)).wait()
        return channel
    }

    /// Sends a request, and tells how it is answered before anybody has looked at it.
    private func ask(_ channel: EmbeddedChannel) throws -> HTTPResponseStatus? {
        try channel.writeInbound(
            HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/", headers: ["host": "a"])))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        guard case .head(let head)? = try channel.readOutbound(as: HTTPServerResponsePart.self) else { return nil }
        return head.status
    }

    @Test func `one client's share of the connections is not taken by what comes after a refused request`() throws {
        let limit = ConnectionLimit(connectionsMax: 4)
        let channels = try (0..<4).map { _ in try connection(from: "192.0.2.66", limit) }
        for channel in channels.dropLast() { #expect(try ask(channel) == nil) }
        let upload = HTTPRequestHead(
            version: .http1_1, method: .POST, uri: "/", headers: ["host": "a", "content-length": "9"])
        try channels[3].writeInbound(HTTPServerRequestPart.head(upload))
        guard case .head(let head)? = try channels[3].readOutbound(as: HTTPServerResponsePart.self) else {
            Issue.record("it is not answered")
            return
        }
        #expect(head.status == .serviceUnavailable)
        // The first one is done; the refused one goes on sending.
        try channels[0].writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
        try channels[0].writeOutbound(HTTPServerResponsePart.end(nil))
        while try channels[0].readOutbound(as: HTTPServerResponsePart.self) != nil {}
        try channels[3].writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "123")))
        #expect(try ask(channels[0]) == nil, "its place is there for its client's next request")
    }

    @Test func `one client's share of the connections refuses HEAD without a body`() throws {
        let limit = ConnectionLimit(connectionsMax: 4)
        let channels = try (0..<4).map { _ in try connection(from: "192.0.2.66", limit) }
        for channel in channels.dropLast() { #expect(try ask(channel) == nil) }
        try channels[3].writeInbound(
            HTTPServerRequestPart.head(.init(version: .http1_1, method: .HEAD, uri: "/", headers: ["host": "a"])))
        var bodies = 0
        while let part = try channels[3].readOutbound(as: HTTPServerResponsePart.self) {
            if case .body = part { bodies += 1 }
        }
        #expect(bodies == 0)
    }

    @Test
    func `one client's share of the connections is asked for again by each request on a connection that was idle`()
        throws
    {
        let limit = ConnectionLimit(connectionsMax: 4)
        let channels = try (0..<4).map { _ in try connection(from: "192.0.2.66", limit) }
        let answers = try channels.map { try ask($0) }
        let expected: [HTTPResponseStatus?] = [nil, nil, nil, .serviceUnavailable]
        #expect(answers == expected)
        let forwarded = try channels[3].readInbound(as: HTTPServerRequestPart.self)
        #expect(forwarded == nil)
        // The one that was refused gives way, and none of those that are worked on.
        let other = try connection(from: "198.51.100.7", limit)
        let answer = try ask(other)
        #expect(answer == nil && limit.count == 4)
        let open = channels.map(\.isActive)
        #expect(open == [true, true, true, false])
    }
}
