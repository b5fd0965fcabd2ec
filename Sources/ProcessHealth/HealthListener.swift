import BoundedHTTP
import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import Observability
import ServiceLifecycle

/// The port of a program that serves no requests: `/healthz`, `/readyz` and `/metrics`.
///
/// For monitoring, on an address of its own: it changes nothing and shows nothing secret.
package struct HealthListener: Service {
    /// The most scrapers and probes at once; one more takes the place of an idle connection.
    private static let connectionsMax = 32

    private let host: String
    private let port: Int
    private let vitals: Vitals
    private let stallMax: Duration
    private let hasStarted: @Sendable () -> Bool
    private let onListening: @Sendable () -> Void
    private let logger: Logger

    /// Names the address and what is shown there.
    /// - Parameters:
    ///   - port: 0 takes a free one; the log names it.
    ///   - stallMax: How long a client may take nothing of an answer; by default as long as Prometheus waits for one.
    ///   - hasStarted: Whether all checks of the start are passed.
    ///   - onListening: Told once the address is taken.
    package init(
        host: String, port: Int, vitals: Vitals, stallMax: Duration = .seconds(10),
        hasStarted: @escaping @Sendable () -> Bool, onListening: @escaping @Sendable () -> Void = {}, logger: Logger
    ) {
        self.host = host
        self.port = port
        self.vitals = vitals
        self.stallMax = stallMax
        self.hasStarted = hasStarted
        self.onListening = onListening
        self.logger = logger
    }

    /// Listens until graceful shutdown.
    /// - Throws: What kept it from taking the address.
    package func run() async throws {
        var quiet = logger.untilCancelled.withoutEndOfServer
        quiet.logLevel = .warning
        let places = ConnectionPlaces(connectionsMax: Self.connectionsMax)
        let application = Application(
            router: router(),
            server: .bounded(.init(idleTimeout: .seconds(60))) { [stallMax] in
                [places.makeHandler(), StallLimit(stallMax: stallMax)]
            },
            configuration: .init(address: .hostname(host, port: port)),
            onServerRunning: { [logger, onListening] channel in
                onListening()
                guard let address = channel.localAddress else { return }
                logger.notice("metrics at \(address.httpURL)/metrics")
            },
            logger: quiet)
        try await application.run()
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        // 200 as long as the process answers: nothing outside is asked, so that an outage restarts nobody.
        router.get("/healthz") { _, _ in try Self.json(Liveness()) }
        router.get("/readyz") { [vitals, hasStarted] _, _ in
            let readiness = Readiness(
                await vitals.servers(), hasStarted: hasStarted(), areBundlesAway: vitals.areBundlesAway)
            return try Self.json(readiness, status: readiness.isReady ? .ok : .serviceUnavailable)
        }
        router.get("/metrics") { [vitals] _, _ in
            guard let text = await vitals.exposition() else { throw HTTPError(.notFound) }
            return Self.response(.ok, PrometheusRegistry.contentType, ByteBuffer(string: text))
        }
        return router
    }

    private static func json(_ answer: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let body = ByteBuffer(bytes: try encoder.encode(["data": answer]))
        return response(status, "application/json; charset=utf-8", body)
    }

    private static func response(_ status: HTTPResponse.Status, _ type: String, _ body: ByteBuffer) -> Response {
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"], body: .init(byteBuffer: body))
    }
}
