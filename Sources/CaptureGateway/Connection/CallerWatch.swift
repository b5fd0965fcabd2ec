import NIOCore
import NIOHTTP1
import Waiting

/// Tells the route that answers when its caller has gone: it has closed its side of the connection, or all of it.
///
/// A client that has closed its side may still read its answer, so the connection stays open. A browser that gives a
/// request up closes its side as well, and nothing tells the two apart. So routes that ask do not go on waiting, and
/// still answer.
final class CallerWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    /// An outbound event: the route that answers asks to be told.
    struct Question: Sendable {
        /// Opened when the caller has gone.
        let hasGone: Latch
    }

    /// The latch of the route that asked last.
    private var awaited: Latch?
    private var hasGone = false

    func channelInactive(context: ChannelHandlerContext) {
        note()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { note() }
        context.fireUserInboundEventTriggered(event)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let question = event as? Question else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if hasGone { question.hasGone.open() } else { awaited = question.hasGone }
        promise?.succeed()
    }

    private func note() {
        hasGone = true
        awaited?.open()
        awaited = nil
    }
}

extension GatewayContext {
    /// A latch that opens when the caller has gone.
    func callerHasGone() -> Latch {
        let hasGone = Latch()
        let asked = channel.eventLoop.makePromise(of: Void.self)
        channel.triggerUserOutboundEvent(CallerWatch.Question(hasGone: hasGone), promise: asked)
        // Nobody is left to ask on a connection that is closed already.
        asked.futureResult.whenFailure { _ in hasGone.open() }
        return hasGone
    }
}
