package import NIOCore
package import NIOHTTP1

/// Ends a connection whose client takes nothing of its answers.
///
/// Hummingbird's limit on idle connections does not count while an answer is under way: such a client would keep its
/// connection for ever.
package final class StallLimit: ChannelInboundHandler {
    package typealias InboundIn = HTTPServerRequestPart

    private var stall: Stall

    /// - Parameter stallMax: How long the client may leave no room for what is written.
    package init(stallMax: Duration) {
        stall = Stall(max: stallMax)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall.note(context)
        context.fireChannelWritabilityChanged()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        stall.cancel()
        context.fireChannelInactive()
    }
}

/// A time in which a client leaves no room for what is written; at its limit the connection ends.
package struct Stall {
    private var max: Duration
    private var end: Scheduled<Void>?

    /// - Parameter max: How long it may last.
    package init(max: Duration) {
        self.max = max
    }

    /// Whether there was no room when it was last noted.
    package var isOn: Bool { end != nil }

    /// Begins or ends it, for a handler that is told of the channel's writability.
    package mutating func note(_ context: ChannelHandlerContext) {
        end?.cancel()
        end = context.channel.isWritable ? nil : context.close(after: max)
    }

    /// From now on it may last no longer than this; one that is on begins anew.
    package mutating func shorten(to max: Duration, _ context: ChannelHandlerContext) {
        self.max = min(self.max, max)
        if isOn { note(context) }
    }

    /// Ends no connection any more.
    package func cancel() { end?.cancel() }
}

extension ChannelHandlerContext {
    /// Closes the channel after a while, unless that is cancelled, without asking the handler or those behind it.
    fileprivate func close(after time: Duration) -> Scheduled<Void> {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        return eventLoop.scheduleTask(in: TimeAmount(time)) { bound.value.close(promise: nil) }
    }
}

extension Channel {
    /// Closes the channel after a while, unless that is cancelled.
    package func close(after time: Duration) -> Scheduled<Void> {
        eventLoop.scheduleTask(in: TimeAmount(time)) { self.close(promise: nil) }
    }
}
