import HostNames
import Logging
import NIOCore
import NIOPosix
import NIOSSL

/// Makes channels to the configured server: socket options, TLS, and the link's handler at the end.
struct ConnectionOpener: Sendable {
    var configuration: RedisConfiguration
    private let names: HostNames
    private let tls: TLSContextSource?

    init(configuration: RedisConfiguration, names: HostNames, logger: Logger) {
        self.configuration = configuration
        self.names = names
        tls = configuration.tls.map { TLSContextSource($0, logger: logger) }
    }

    /// Checks configuration and certificate files.
    ///
    /// - Throws: ``RedisError`` with code `configuration`.
    func check() throws(RedisError) {
        try configuration.validate()
        _ = try tls?.context()
    }

    /// Connects; the handler made by `link` is the channel's last.
    /// - Parameter turn: Which of several addresses comes first, counted round.
    func open(
        for link: LinkCore, on eventLoop: any EventLoop, turn: Int
    ) -> EventLoopFuture<RedisChannelHandler> {
        let bound = NIOLoopBound(link, eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(configuration.connectTimeout))
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: 1 << 10, initial: 1 << 14, maximum: 1 << 18)
            )
            .channelOption(.writeBufferWaterMark, value: .init(low: 1 << 18, high: 1 << 20))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let link = bound.value
                    try addTLS(to: channel)
                    let limits = ReplyLimits(bytesMax: configuration.replyBytesMax)
                    let handler = try RedisChannelHandler(
                        link: link, isOverTLS: tls != nil, limits: limits, allocator: channel.allocator)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        let channel =
            switch configuration.address {
            case .tcp(let host, let port):
                bootstrap
                    .resolver(
                        NameResolver(names, on: eventLoop, by: .now + configuration.connectTimeout, turn: turn)
                    )
                    .channelOption(.socketOption(.so_keepalive), value: 1)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port)
            case .unixSocket(let path):
                bootstrap.connect(unixDomainSocketPath: path)
            }
        // A name with several addresses makes several channels, each with a handler: take the handler of the channel
        // that connected first.
        return channel.flatMapThrowing { channel in
            NIOLoopBound(
                try channel.pipeline.syncOperations.handler(type: RedisChannelHandler.self), eventLoop: eventLoop)
        }.assumeIsolated().map(\.value).nonisolated()
    }
}

extension ConnectionOpener {
    private func addTLS(to channel: any Channel) throws {
        guard let tls, case .tcp(let host, _) = configuration.address else { return }
        // An address literal has no SNI (RFC 6066 section 3); NIOSSL then verifies the address itself.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        let handler = try NIOSSLClientHandler(context: tls.context(), serverHostname: isAddress ? nil : host)
        try channel.pipeline.syncOperations.addHandler(handler)
    }
}
