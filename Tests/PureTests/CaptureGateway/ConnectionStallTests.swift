import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import CaptureGateway

@Suite("Connections whose clients take nothing of their answers")
struct ConnectionStallTests {
    private let limit = ConnectionLimit(connectionsMax: 1)

    /// A connection with a request under way.
    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: ConnectionGuard(limit: limit))
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        try channel.writeInbound(
            HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/", headers: ["host": "a"])))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
        return channel
    }

    private func setWritable(_ isWritable: Bool, _ channel: EmbeddedChannel) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test
    func `connections of clients that take no answers give way to a newcomer, and those that take something do not`()
        throws
    {
        let channel = try connection()
        setWritable(false, channel)
        setWritable(true, channel)
        #expect(limit.enter(client: nil) {}.admission == .refused)
        setWritable(false, channel)
        #expect(limit.enter(client: nil) {}.admission == .admitted && !channel.isActive)
    }

    @Test func `connections of clients that take no answers end after a while`() throws {
        let channel = try connection()
        setWritable(false, channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        setWritable(true, channel)
        setWritable(false, channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test
    func `connections of clients that take no answers end after a while although the last answer fits the buffers`()
        throws
    {
        let channel = try connection()
        // Nothing is written before the client reads: the end of the answer stays where it is.
        let stuck = Stuck()
        try channel.pipeline.syncOperations.addHandler(stuck, position: .first)
        try channel.writeInbound(
            HTTPServerRequestPart.head(
                .init(version: .http1_1, method: .GET, uri: "/", headers: ["Host": "a", "Connection": "close"])))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.write(HTTPServerResponsePart.end(nil), promise: nil)
        channel.write(
            HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: ["Connection": "close"])),
            promise: nil)
        channel.write(HTTPServerResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        for promise in stuck.promises { promise.succeed() }
    }

    @Test(arguments: [true, false])
    func `connections of clients that take no answers end soon when the server stops`(isStuckBefore: Bool) throws {
        let channel = try connection()
        // An earlier answer is complete, and waits for the client as well: that is not waited for once more.
        let stuck = Stuck()
        try channel.pipeline.syncOperations.addHandler(stuck, position: .first)
        channel.write(HTTPServerResponsePart.end(nil), promise: nil)
        if isStuckBefore { setWritable(false, channel) }
        channel.embeddedEventLoop.advanceTime(by: .seconds(50))
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        if !isStuckBefore { setWritable(false, channel) }
        channel.embeddedEventLoop.advanceTime(by: .seconds(3))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        for promise in stuck.promises { promise.succeed() }
    }

    /// Keeps what is written, as a socket does whose other side does not read.
    private final class Stuck: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        var promises: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { promises.append(promise) }
        }
    }
}
