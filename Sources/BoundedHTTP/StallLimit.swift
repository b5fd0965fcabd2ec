package import NIOCore
package import NIOHTTP1

/// Ends a connection whose client takes nothing of its answers.
///
/// Hummingbird's limit on idle connections does not count while an answer is under way: such a client would keep its
/// connection for ever.
package final class StallLimit: ChannelInboundHandler {
    package typealias InboundIn = HTTPServerRequestPart

    private let stallMax: Duration
    private var stall: Scheduled<Void>?

    /// - Parameter stallMax: How long the client may leave no room for what is written.
    package init(stallMax: Duration) {
        self.stallMax = stallMax
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall?.cancel()
        stall = context.channel.isWritable ? nil : context.channel.close(after: stallMax)
        context.fireChannelWritabilityChanged()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        stall?.cancel()
        context.fireChannelInactive()
    }
}

extension Channel {
    /// Closes the channel after a while, unless that is cancelled.
    package func close(after time: Duration) -> Scheduled<Void> {
        eventLoop.scheduleTask(in: TimeAmount(time)) { self.close(promise: nil) }
    }
}
