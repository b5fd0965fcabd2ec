import NIOCore
import NIOHTTP1

/// Stands behind the parser and tells the ``ConnectionPlaces`` whether its connection waits for its client: for a
/// request, or for an answer to be taken.
final class PlacedConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private let places: ConnectionPlaces
    private var number: Int?
    private var unanswered = 0

    init(_ places: ConnectionPlaces) {
        self.places = places
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        number = places.enter { channel.close(promise: nil) }
        if number == nil { context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let number { places.leave(number) }
        number = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            unanswered += 1
            note(context)
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        note(context)
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            // What the parser refuses is answered as well, and came with no head.
            unanswered = max(0, unanswered - 1)
            note(context)
        }
        context.write(data, promise: promise)
    }

    private func note(_ context: ChannelHandlerContext) {
        guard let number else { return }
        places.note(number, isIdle: unanswered == 0 || !context.channel.isWritable)
    }
}
