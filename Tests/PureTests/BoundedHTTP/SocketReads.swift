import NIOCore
import NIOHTTP1

/// Stands where a connection's socket would be, and counts how often that was to be read.
final class SocketReads: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
