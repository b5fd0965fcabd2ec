package import HummingbirdCore
import Logging
package import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 connection with a ``RequestGate`` before the parser.
struct BoundedHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    /// The most that one read delivers, and so what a connection may have to hold; NIO's default is 256 KiB.
    private static let readBytesMax = 32 << 10

    let http: HTTP1Channel
    let makeHandlers: @Sendable () -> [any ChannelHandler]
    private let loops = PipelineLoops()

    init(http: HTTP1Channel, makeHandlers: @escaping @Sendable () -> [any ChannelHandler]) {
        self.http = http
        self.makeHandlers = makeHandlers
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            // Still in the channel's initializer: nothing has been read yet.
            if let options = channel.syncOptions {
                let allocator = AdaptiveRecvByteBufferAllocator(
                    minimum: 64, initial: 2048, maximum: Self.readBytesMax)
                try options.setOption(ChannelOptions.recvAllocator, value: allocator)
                try options.setOption(ChannelOptions.maxMessagesPerRead, value: 1)
            }
            let gate = RequestGate(unparsedBytesMax: unparsedBytesMax, turns: loops.turns(on: channel.eventLoop))
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let behind: [any ChannelHandler] = [RequestWatch(gate)] + makeHandlers()
            try pipeline.addHandler(gate, position: .before(parser))
            for handler in behind.reversed() { try pipeline.addHandler(handler, position: .after(parser)) }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }

    /// The largest head including the separators of its fields, doubled to allow for blanks.
    private var unparsedBytesMax: Int {
        let limits = http.configuration.httpDecoder
        return 2 * limits.maxHeaderListSize + 4 * limits.maxHeaderFieldCount
    }
}

extension HTTPServerBuilder {
    /// Serves HTTP/1.1 and keeps little of what clients send ahead of their answers.
    ///
    /// A connection's requests are parsed one after the other. After `CONNECT` or a request to upgrade none is parsed:
    /// the answer to it says `Connection: close`.
    /// - Parameters:
    ///   - configuration: Hummingbird's; its limits on heads also limit what is kept for the parser.
    ///   - makeHandlers: Makes the handlers behind the parser, for each connection.
    package static func bounded(
        _ configuration: HTTP1Channel.Configuration,
        _ makeHandlers: @escaping @Sendable () -> [any ChannelHandler] = { [] }
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            BoundedHTTP1Channel(
                http: HTTP1Channel(responder: responder, configuration: configuration), makeHandlers: makeHandlers)
        }
    }
}

extension Channel {
    /// Makes a listening channel accept many connections each time that its event loop looks at it; SwiftNIO's default
    /// is 4, and whoever connects waits in the kernel behind all that came before.
    /// - Parameter connectionsMax: How many there may be: so many at a look that their first requests can be read
    ///   before they would make room for others.
    package func acceptMany(of connectionsMax: Int) async {
        // Only a channel that is closed refuses it.
        try? await setOption(.maxMessagesPerRead, value: UInt(max(4, min(256, connectionsMax / 4)))).get()
    }
}
