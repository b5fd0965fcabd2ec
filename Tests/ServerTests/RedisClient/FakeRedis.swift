import NIOCore
import NIOPosix
import RedisClient

/// A server that says what a test wants: it answers the log-in and then whatever its script makes of the bytes.
struct FakeRedis {
    /// What to send for the bytes that came after the log-in.
    typealias Script = @Sendable (ByteBuffer) -> ByteBuffer

    private let channel: any Channel

    /// Where it listens, as a client's URL.
    var url: String { "redis://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// CLIENT SETNAME and PING, as they are answered by a server that lets everybody in.
    static let welcome = "+OK\r\n+PONG\r\n"

    /// Lends a server with a script; without answers to the log-in the script hears that as well.
    static func with(
        logIn: String? = FakeRedis.welcome, hangsUp: Bool = false, _ script: @escaping Script,
        _ body: (FakeRedis) async throws -> Void
    ) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    let handler = ScriptHandler(script: script, logIn: logIn, hangsUp: hangsUp)
                    try child.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body(FakeRedis(channel: channel))
            try await channel.close().get()
        } catch {
            try await channel.close().get()
            throw error
        }
    }

    private final class ScriptHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let script: Script
        private let hangsUp: Bool
        private var logIn: String?

        init(script: @escaping Script, logIn: String?, hangsUp: Bool) {
            self.script = script
            self.hangsUp = hangsUp
            self.logIn = logIn
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let request = unwrapInboundIn(data)
            if let logIn {
                self.logIn = nil
                return context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: logIn)), promise: nil)
            }
            let answer = script(request)
            if answer.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(answer), promise: nil) }
            if hangsUp { context.close(promise: nil) }
        }
    }
}
