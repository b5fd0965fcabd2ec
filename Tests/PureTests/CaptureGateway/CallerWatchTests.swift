import NIOCore
import NIOEmbedded
import Testing
import Waiting

@testable import CaptureGateway

@Suite("Whether a caller has gone")
struct CallerWatchTests {
    /// How a client leaves.
    enum Leaving: CaseIterable {
        case closesItsSide, isCut

        func act(on channel: EmbeddedChannel) {
            switch self {
            case .closesItsSide: channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            case .isCut: channel.pipeline.fireChannelInactive()
            }
        }
    }

    @Test(arguments: Leaving.allCases) func `a caller has gone that closes its side, or whose connection ends`(
        leaving: Leaving
    ) throws {
        let channel = EmbeddedChannel(handler: CallerWatch())
        let (first, second, late) = (Latch(), Latch(), Latch())
        try channel.triggerUserOutboundEvent(CallerWatch.Question(hasGone: first)).wait()
        // The answer to the first request is written by then.
        try channel.triggerUserOutboundEvent(CallerWatch.Question(hasGone: second)).wait()
        #expect(!second.isOpen)
        leaving.act(on: channel)
        #expect(second.isOpen)
        try channel.triggerUserOutboundEvent(CallerWatch.Question(hasGone: late)).wait()
        #expect(late.isOpen)
    }
}
