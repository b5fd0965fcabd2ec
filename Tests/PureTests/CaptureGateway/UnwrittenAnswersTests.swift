import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Answers whose clients have not taken them when the connection is closed", .timeLimit(.minutes(1)))
struct UnwrittenAnswersTests {
    private let limit = ConnectionLimit(connectionsMax: 1)
    private let socket = FullSocket()

    /// A connection whose request is answered; its client has not taken the end of the answer.
    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handlers: [socket, ConnectionGuard(limit: limit)])
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        try channel.writeInbound(
            HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/", headers: ["host": "a"])))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.write(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)), promise: nil)
        channel.write(HTTPServerResponsePart.end(nil), promise: nil)
        return channel
    }

    @Test func `answers that are not taken yet are written before the output is closed`() throws {
        let channel = try connection()
        channel.close(mode: .output, promise: nil)
        #expect(socket.closes == [])
        socket.takeAll()
        #expect(socket.closes == [.output])
        channel.close(mode: .output, promise: nil)
        #expect(socket.closes == [.output, .output])
    }

    @Test func `answers that are not taken yet are written before a server that stops closes their connection`() throws
    {
        let channel = try connection()
        channel.close(mode: .output, promise: nil)
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        // Once for each answer to a request that came before.
        for _ in 0..<2 { channel.close(promise: nil) }
        #expect(socket.closes == [])
        socket.takeAll()
        #expect(socket.closes == [.all])
    }

    @Test func `answers that are not taken yet are given up for a client that has to give way`() throws {
        let channel = try connection()
        channel.close(mode: .output, promise: nil)
        channel.close(promise: nil)
        #expect(socket.closes == [.all])
        socket.takeAll()
    }

    @Test(arguments: [(false, 60), (true, 4)])
    func `answers that are not taken yet are given up after a while, and soon by a server that stops`(
        isStopping: Bool, seconds: Int64
    ) throws {
        let channel = try connection()
        if isStopping { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        channel.close(mode: .output, promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds - 1))
        #expect(socket.closes == [])
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(socket.closes == [.all])
        socket.takeAll()
    }

    @Test func `all answers reach a client that has closed its side and reads more slowly than they are written`()
        async throws
    {
        try await CapturesGateway.run { gateway in
            let connection = try RawConnection(port: gateway.port, receiveBytes: 64 << 10)
            let requests = 120
            try await connection.send(
                String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: requests))
            connection.finishSending()
            let answers = try await connection.read().split(separator: "HTTP/1.1 200 ")
            #expect(answers.count == requests)
            #expect(Set(answers.map(\.utf8.count)).count == 1)
        }
    }

    /// Keeps what is written, and does not close.
    private final class FullSocket: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        private var promises: [EventLoopPromise<Void>] = []
        private(set) var closes: [CloseMode] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { promises.append(promise) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closes.append(mode)
        }

        func takeAll() {
            for promise in promises { promise.succeed() }
            promises = []
        }
    }
}
