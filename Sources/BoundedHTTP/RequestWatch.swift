import NIOCore
import NIOHTTP1

/// Stands behind the parser and tells the ``RequestGate`` what the parser delivers.
///
/// - The `Connection` field that it passes on says `close` for the last request and is absent otherwise. Requests after
///   the last one are not passed on.
/// - The pieces of a body that one read delivers are passed on as one part: a chunk of one byte takes as much memory as
///   one of thousands.
final class RequestWatch: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let gate: RequestGate
    private var body: ByteBuffer?

    init(_ gate: RequestGate) {
        self.gate = gate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard gate.parserMade(part) else { return }
        switch part {
        case .head(let head):
            context.fireChannelRead(wrapInboundOut(.head(head.withPlainConnection)))
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
        guard let bytes = body else { return }
        body = nil
        context.fireChannelRead(wrapInboundOut(.body(bytes)))
    }
}
