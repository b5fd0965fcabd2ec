import NIOCore
import NIOHTTP1

/// Stands behind the parser and tells the ``RequestGate`` what the parser delivers.
///
/// - The `Connection` field that it passes on says `close` for the last request and is absent otherwise. Requests after
///   the last one are not passed on.
/// - The pieces of a body that one read delivers are passed on as one part: a chunk of one byte takes as much memory as
///   one of thousands.
/// - A body without announced length is passed on in small parts. The server reads ahead of a route until it has ten
///   parts, and a route can reserve memory only for what it knows of.
final class RequestWatch: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// The most that a part of a body without announced length has.
    private static let partBytesMax = 2 << 10

    private let gate: RequestGate
    private var body: ByteBuffer?
    /// The latest request's body comes in chunks.
    private var isChunked = false

    init(_ gate: RequestGate) {
        self.gate = gate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard gate.parserMade(part) else { return }
        switch part {
        case .head(let head):
            isChunked = head.isChunked
            let plain = head.withPlainConnection(isLast: gate.isAtLast)
            context.fireChannelRead(wrapInboundOut(.head(plain)))
        case .body(var bytes):
            if body?.writeBuffer(&bytes) == nil { body = bytes }
        case .end(let trailers):
            fireBody(context)
            context.fireChannelRead(wrapInboundOut(.end(trailers)))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        fireBody(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError, !gate.parserFailed() { return }
        fireBody(context)
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        fireBody(context)
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fireBody(context)
        context.fireChannelInactive()
    }

    private func fireBody(_ context: ChannelHandlerContext) {
        guard var bytes = body else { return }
        body = nil
        let count = isChunked ? Self.partBytesMax : bytes.readableBytes
        while let part = bytes.readSlice(length: min(count, bytes.readableBytes)), part.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(.body(part)))
        }
    }
}
