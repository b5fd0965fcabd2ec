import BoundedHTTP
import NIOCore
import NIOEmbedded
import Testing

@Suite("Connections whose clients leave no room for their answers")
struct StallLimitTests {
    private func setWritable(_ isWritable: Bool, _ channel: EmbeddedChannel) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test func `a connection without room for its answers ends after a while, and not if there was room meanwhile`()
        throws
    {
        let channel = EmbeddedChannel(handler: StallLimit(stallMax: .seconds(10)))
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        setWritable(false, channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        setWritable(true, channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        setWritable(false, channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }
}
