import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import GatewayClient

@Suite(.timeLimit(.minutes(1))) struct `The gateway's client and TLS that fails` {
    /// Ends every handshake as a proxy that restarts may: with the alert `internal_error` (RFC 8446 section 6).
    private final class Alert: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // The client hangs up; doing so first might take the alert away from it.
            let alert = ByteBuffer(bytes: [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50])
            context.writeAndFlush(wrapOutboundOut(alert), promise: nil)
        }
    }

    private let clock = ImmediateClock()

    /// How asking for a challenge fails, with two attempts at most.
    private func failure(at url: String) async throws -> GatewayError? {
        let configuration = GatewayClient.Configuration(url: url, attemptsMax: 2, chance: { 1 })
        return try await HTTPClient.withHTTPClient(configuration: GatewayClient.httpConfiguration) { http in
            await #expect(throws: GatewayError.self) {
                try await GatewayClient(configuration, http: http, clock: clock).challenge()
            }
        }
    }

    @Test func `a port that does not speak TLS is told at once, as that does not pass by itself`() async throws {
        try await ScriptedGateway.serving([.init(status: .ok, body: "{}")]) { gateway, url in
            let error = try await failure(at: url.replacing("http://", with: "https://"))
            #expect(error == .untrusted("TLS: WRONG_VERSION_NUMBER") && gateway.asked.isEmpty)
        }
        #expect(clock.slept.isEmpty)
    }

    @Test func `what the other side says in an alert is tried again, as it may pass`() async throws {
        let proxy = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Alert())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(proxy.localAddress?.port)
        let error = try await failure(at: "https://127.0.0.1:\(port)")
        try await proxy.close()
        #expect(error == .unreachable("TLS: TLSV1_ALERT_INTERNAL_ERROR"))
        #expect(clock.slept == [.milliseconds(250)])
    }
}
