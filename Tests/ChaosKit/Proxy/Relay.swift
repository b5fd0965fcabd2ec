import NIOCore

/// One end of a connection over a ``Link``: hands what it reads to the other end, one piece after the other.
final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let link: Link
    private let way: Link.Way
    private var context: ChannelHandlerContext?
    private var other: (any Channel)?
    /// Whether the next read waits for the way to be free.
    private var isHeldUp = false
    /// What was on its way when the link was stalled.
    private var held: ByteBuffer?
    /// Whether nothing passes any more.
    private var isFrozen = false

    init(link: Link, way: Link.Way) {
        self.link = link
        self.way = way
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        other = nil
    }

    /// Learns of the other end, which is on the same event loop.
    func join(_ other: any Channel) {
        self.other = other
        if context?.channel.isActive == true { readOn() }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        readOn()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard !isFrozen else { return }
        guard !link.condition.stalled.contains(way) else {
            held.setOrWriteBuffer(&bytes)
            isHeldUp = true
            return
        }
        let delay = link.condition.delay
        guard delay > .zero else { return handOn(bytes) }
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { self.handOn(bytes) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is Link.Frozen: isFrozen = true
        case is Link.Resumed where isHeldUp:
            isHeldUp = false
            guard let bytes = held else { return readOn() }
            held = nil
            handOn(bytes)
        case is Link.Resumed: break
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        other?.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A connection reset by either side: the other learns of it by the end of its own.
        context.close(promise: nil)
    }

    private func handOn(_ bytes: ByteBuffer) {
        guard let other, let context, !link.isSevered(context.channel) else { return }
        other.writeAndFlush(bytes).assumeIsolated().whenComplete { result in
            switch result {
            case .success: self.readOn()
            case .failure: self.context?.close(promise: nil)
            }
        }
    }

    private func readOn() {
        if link.condition.stalled.contains(way) {
            isHeldUp = true
        } else {
            context?.read()
        }
    }
}
