import BoundedHTTP
package import Hummingbird
import HummingbirdCore
import IntakeJournal
package import NIOCore
import Observability

/// The HTTP server of the system: devices register, phones upload, dashboards ask.
///
/// ```swift
/// let gateway = try CaptureGateway.application(configuration: configuration, dependencies: dependencies) { address in
///     logger.notice("listening", metadata: ["address": "\(String(describing: address))"])
/// }
/// try await ServiceGroup(services: [redis, postgres, gateway], …).run()
/// ```
package enum CaptureGateway {
    /// The gateway as an application: it listens while it runs, and ends cleanly on graceful shutdown.
    ///
    /// - Parameters:
    ///   - onServerRunning: Told the address once it is bound.
    /// - Throws: ``ConfigurationError`` for values with which it could not work.
    package static func application(
        configuration: GatewayConfiguration, dependencies: GatewayDependencies,
        onServerRunning: @escaping @Sendable (SocketAddress?) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        try configuration.validate()
        let server = HTTP1Channel.Configuration(
            idleTimeout: .init(configuration.connections.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: configuration.requests.headerBytesMax,
                maxHeaderListSize: configuration.requests.headerBytesMax,
                maxHeaderFieldCount: configuration.requests.headerFieldsMax))
        let journal = dependencies.intake.map {
            IntakeJournal(ledger: $0, limits: IntakeJournal.Limits(configuration.intake))
        }
        let feed = ChangeFeed(
            source: dependencies.changes, epoch: String(dependencies.generator.hex(words: 1).prefix(8)),
            streamsMax: configuration.reading.eventStreamsMax)
        let limit = ConnectionLimit(connectionsMax: configuration.connections.countMax)
        let refused = RefusedConnections(by: limit, logger: dependencies.logger)
        let proxies = TrustedProxies(configuration.connections.trustedProxies)
        return Application(
            router: try router(
                configuration: configuration, dependencies: dependencies, journal: journal, feed: feed),
            server: .bounded(server) {
                [
                    ConnectionGuard(
                        configuration.connections, uploadBytesMax: configuration.uploads.bytesMax,
                        dependencies: dependencies, limit: limit, refused: refused, proxies: proxies),
                    CallerWatch(),
                ]
            },
            configuration: .init(
                address: .hostname(configuration.connections.host, port: configuration.connections.port),
                // As many as may come at once; the kernel resets those that find no place, and the log says nothing.
                backlog: configuration.connections.countMax),
            services: [feed] + (journal.map { [$0] } ?? []),
            onServerRunning: { channel in
                await channel.acceptMany(of: configuration.connections.countMax)
                await onServerRunning(channel.localAddress)
            },
            logger: dependencies.logger.withoutEndOfServer)
    }

    /// Routes and what stands before them, outermost first.
    static func router(
        configuration: GatewayConfiguration, dependencies: GatewayDependencies, journal: IntakeJournal?,
        feed: ChangeFeed
    ) throws -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: RequestIdentity(
                proxies: TrustedProxies(configuration.connections.trustedProxies), random: dependencies.generator))
        router.add(middleware: RequestTrace())
        router.add(middleware: RequestMeasure())
        router.add(
            middleware: Failures(
                now: dependencies.now, outages: dependencies.outages, hasPages: dependencies.operators != nil,
                refusedLinesMax: configuration.requests.refusedLinesMax))
        router.add(middleware: ExactPaths(hasPages: dependencies.operators != nil))
        router.add(middleware: NoUnreadBodies())
        try AllRoutes(configuration: configuration, dependencies: dependencies, journal: journal, feed: feed)
            .add(to: router)
        return router
    }
}
