import CaptureGateway
import CaptureModel
import CaptureOperations
import CaptureSettings
import DeviceCheck
import FoundationEssentials
import Latch
import Logging
import NIOCore
import NIOPosix
import Observability
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient
import Rollout
import ServiceLifecycle

/// The gateway's program: settings → clients → queue, bundles and store → the HTTP server.
@main
struct Main {
    static func main() async {
        await Program.run(
            "capture-gateway",
            purpose: "takes challenges, registrations and captures over HTTP, and tells their status",
            services: services
        )
    }

    /// In the order of their start; the server stops first, the connections last.
    private static func services(_ settings: Settings, _ logger: Logger) async throws -> [any Service] {
        let metrics = PrometheusRegistry.bootstrap(.gateway)
        CaptureMetrics.started("capture-gateway", version: ProcessorVersion.current, at: Timestamp.systemTime())
        let name = "gateway-\(ProcessInfo.processInfo.hostName)"
        let connections = settings.redisConnections
        let redis = client(try settings.redisGatewayConfiguration(name: name), connections: connections, logger)
        // Large values on connections of their own: they delay whatever follows them.
        let bundleRedis = client(
            try settings.redisGatewayConfiguration(name: "\(name)-bundles", isForBytes: true),
            connections: connections, logger)
        // Nothing else may wait behind what waits for replicas.
        let replicaRedis =
            settings.replicas > 0
            ? client(try settings.redisGatewayConfiguration(name: "\(name)-replicated"), connections: 1, logger)
            : nil
        let postgres = PostgresClient(
            configuration: settings.postgresGatewayConfiguration(name: "capture-gateway"), logger: logger.ofClients
        )
        let keyspace = try settings.keyspace()
        let queue = RedisCaptureQueue(
            client: redis, keyspace: keyspace, configuration: settings.queueConfiguration, consumer: name,
            replication: replicaRedis.map {
                Replication(client: $0, replicas: settings.replicas, wait: settings.replicaWait)
            },
            logger: logger
        )
        let files = try settings.filesystemBundles()
        let gate = Latch()
        let bundles = settings.bundleStores(redis: bundleRedis, keyspace: keyspace, files: files) { gate.isOpen }
        let changes = RedisStateChanges(client: redis, keyspace: keyspace, logger: logger)
        let random: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
        let store = PostgresCaptureStore(client: postgres)
        var dependencies = GatewayDependencies(
            queue: queue, bundles: bundles, store: store, challenges: RedisChallengeStore(client: redis),
            limiter: RedisRateLimiter(client: redis, logger: logger), changes: changes, metrics: metrics,
            now: Timestamp.systemTime, random: random, logger: logger
        )
        let reconciliation =
            settings.durability == .ledger
            ? Reconciliation(
                queue: queue, settings: settings, random: random, outages: dependencies.outages, logger: logger) : nil
        if let reconciler = reconciliation?.reconciler {
            dependencies.intake = PostgresIntakeLedger(client: postgres)
            dependencies.onRestoring = { reconciler.kick() }
        }
        dependencies.operators = OperatorRooms(
            desk: OperatorDesk(
                queue: queue, store: store, ledger: dependencies.intake, bundles: bundles, now: Timestamp.systemTime),
            archive: store, sessions: RedisSessionStore(client: redis)
        )
        dependencies.faults = settings.faults
        dependencies.hasStarted = { gate.isOpen }
        dependencies.registry = store
        dependencies.enrolment = try settings.enrolmentSeal().map { EnrolmentRoom(store: store, seal: $0) }
        dependencies.gauges = {
            CaptureMetrics.pool(.record, of: postgres)
            reconciliation?.measure()
        }
        let rollout = try settings.rolloutFile(now: Timestamp.systemTime, logger: logger)
        dependencies.rollout = rollout.inForce
        var apple: [any Service] = []
        if let key = try settings.developerKey() {
            let server = AppleServer(limits: settings.appleLimits)
            dependencies.deviceCheck = DeviceCheckClient(
                server: server, tokens: DeveloperTokens(key: key, now: Timestamp.systemTime),
                hosts: try settings.deviceCheckHosts(), now: Timestamp.systemTime, random: random)
            apple = [server]
        }
        let server = try CaptureGateway.application(
            configuration: DescriptorLimit.fit(try settings.gatewayConfiguration(), logger),
            dependencies: dependencies
        ) { address in
            let port = address?.port.map { ":\($0)" } ?? ""
            logger.notice("listening on http://\(address?.ipAddress ?? "")\(port)")
        }
        let check = StartupCheck(
            redis: redis, keyspace: keyspace, postgres: postgres, files: files, demand: settings.durabilityDemand,
            gate: gate, logger: logger
        )
        let limits = QueueLimits(queue: queue, logger: logger)
        let purger = EnrolmentPurger(store: store, configuration: settings.enrolmentPurger, logger: logger)
        let clients: [any Service] = [redis, bundleRedis, postgres] + (replicaRedis.map { [$0] } ?? [])
        let checked: [any Service] = [
            CheckedStart(behind: gate, service: limits), CheckedStart(behind: gate, service: purger),
        ]
        return clients + apple + [rollout, changes, check] + checked
            + (reconciliation?.services(behind: gate) ?? []) + [server]
    }

    private static func client(
        _ configuration: RedisConfiguration, connections: Int, _ logger: Logger
    ) -> RedisClient {
        RedisClient(
            configuration: configuration, eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            connections: connections, logger: logger.ofClients
        )
    }
}
