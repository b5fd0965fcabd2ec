import CoreMetrics
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Connections that find no place", .timeLimit(.minutes(1)))
struct RefusedConnectionsTests {
    private let lines = LogRecorder()
    private let time = ManualTime()

    private func refused(by limit: ConnectionLimit) -> RefusedConnections {
        RefusedConnections(by: limit, logger: lines.logger, calm: .seconds(10)) { time.monotonic }
    }

    /// A connection of a gateway's.
    private func connection(_ limit: ConnectionLimit) throws -> EmbeddedChannel {
        let fixture = try GatewayFixture()
        let guardian = ConnectionGuard(
            fixture.configuration.connections, uploadBytesMax: fixture.configuration.uploads.bytesMax,
            dependencies: fixture.dependencies, limit: limit, refused: refused(by: limit), proxies: TrustedProxies([]))
        let channel = EmbeddedChannel(handler: guardian)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.66", port: 443)).wait()
        return channel
    }

    /// Opens a connection that is over at once.
    private func turnAway(_ limit: ConnectionLimit) throws {
        let channel = try connection(limit)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    @Test func `connections that find no place are told of when it begins and when it is over, once each`() {
        let refused = refused(by: ConnectionLimit(connectionsMax: 1))
        let admissions: [ConnectionLimit.Admission] = [.admitted, .refused, .dropped, .admitted, .refused]
        for admission in admissions { refused.note(admission) }
        time.advance(by: .seconds(9))
        refused.note(.admitted)
        #expect(lines.lines == ["warning connections are refused"], "others are taken in between")
        time.advance(by: .seconds(1))
        refused.note(.admitted)
        refused.note(.admitted)
        refused.note(.dropped)
        #expect(
            lines.lines == [
                "warning connections are refused", "notice connections are taken again",
                "warning connections are refused",
            ])
    }

    @Test func `an address that has its share is told of as that, and apart from a gateway that is full`() {
        let refused = refused(by: ConnectionLimit(connectionsMax: 4))
        let admissions: [ConnectionLimit.Admission] = [
            .overShare(isTold: true), .overShare(isTold: false), .admitted, .refused,
        ]
        for admission in admissions { refused.note(admission) }
        time.advance(by: .seconds(5))
        refused.note(.overShare(isTold: true))
        time.advance(by: .seconds(5))
        refused.note(.admitted)
        time.advance(by: .seconds(5))
        refused.note(.admitted)
        #expect(
            lines.lines == [
                "warning connections of one address are refused", "warning connections are refused",
                "notice connections are taken again", "notice connections of one address are taken again",
            ])
    }

    @Test
    func `refused connections are counted by whether they get an answer, and those of an address with its share apart`()
        throws
    {
        let registry = PrometheusRegistry()
        try withMetricsFactory(registry) { () throws in
            let full = ConnectionLimit(connectionsMax: 1)
            full.note(full.enter(client: nil) {}, isIdle: false)
            try turnAway(full)
            // As many as are told, and none of them has gone.
            for _ in 0..<16 { _ = full.enter(client: nil) {} }
            try turnAway(full)

            let shared = ConnectionLimit(connectionsMax: 4)
            let channels = try (0..<4).map { _ in try connection(shared) }
            for channel in channels {
                try channel.writeInbound(
                    HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/", headers: ["host": "a"]))
                )
                try channel.writeInbound(HTTPServerRequestPart.end(nil))
            }
        }
        let exposition = try StrictExposition(registry.render())
        func count(_ outcome: String) -> String? {
            exposition.value("capture_connections_refused_total", ["outcome": outcome])
        }
        #expect(count("refused") == "1" && count("dropped") == "1" && count("share") == "1")
        let full = "warning connections are refused"
        #expect(lines.lines == [full, full, "warning connections of one address are refused"])
    }
}
