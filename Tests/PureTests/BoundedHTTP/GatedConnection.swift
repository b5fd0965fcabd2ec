import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import BoundedHTTP

/// A connection's parser between gate and watch; its socket and its server are the test's.
final class GatedConnection {
    let channel: EmbeddedChannel
    private let turns: NIOLoopBound<PipelineTurns>
    private let socket = SocketReads()
    private let parser = Pieces()
    private let server = Closes()

    /// - Parameter neighbour: A connection of the same event loop.
    init(unparsedBytesMax: Int = 64 << 10, beside neighbour: GatedConnection? = nil) throws {
        let loop = neighbour?.channel.embeddedEventLoop ?? EmbeddedEventLoop()
        turns = neighbour?.turns ?? NIOLoopBound(PipelineTurns(on: loop), eventLoop: loop)
        let gate = RequestGate(unparsedBytesMax: unparsedBytesMax, turns: turns)
        let handlers: [any ChannelHandler] = [
            socket, gate, parser, ByteToMessageHandler(HTTPRequestDecoder()), RequestWatch(gate), server,
        ]
        channel = EmbeddedChannel(handlers: handlers, loop: loop)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
    }

    deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

    /// How often the parser was given something.
    var pieces: Int { parser.count }

    /// The client's bytes, as one read brings them.
    func receive(_ text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
    }

    /// Whether the server's wish to read reaches the socket.
    func reads() -> Bool {
        let before = socket.count
        channel.read()
        return socket.count > before
    }

    /// How often the socket was to be read.
    var socketReads: Int { socket.count }

    /// How the connection, or a side of it, was closed so that the handlers behind the gate saw it.
    var closes: [CloseMode] { server.modes }

    /// A route asks for the body of the request that is to be answered next.
    func askForBody() throws {
        try channel.triggerUserOutboundEvent(BodyWanted()).wait()
    }

    /// What has come out of the parser and was not looked at yet.
    func parts() throws -> [HTTPServerRequestPart] {
        var parts: [HTTPServerRequestPart] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) { parts.append(part) }
        return parts
    }

    /// The heads among these parts.
    func heads() throws -> [HTTPRequestHead] {
        try parts().compactMap { part in
            if case .head(let head) = part { head } else { nil }
        }
    }

    /// How long the pieces of bodies among these parts are.
    func bodyBytes() throws -> [Int] {
        try parts().compactMap { part in
            if case .body(let bytes) = part { bytes.readableBytes } else { nil }
        }
    }

    /// Answers a request.
    /// - Parameter pause: How long the event loop goes on then.
    /// - Returns: The head of the answer as the client gets it.
    func answer(before pause: TimeAmount = PipelinePace.interval) throws -> HTTPResponseHead? {
        try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: pause)
        var answer: HTTPResponseHead?
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            if case .head(let head) = part { answer = head }
        }
        return answer
    }

    private final class Pieces: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer
        var count = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            count += 1
            context.fireChannelRead(data)
        }
    }

    private final class Closes: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        private(set) var modes: [CloseMode] = []

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            modes.append(mode)
            context.close(mode: mode, promise: promise)
        }
    }
}
