import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureSettings
import CaptureStore
import DeviceCheck
import FilesystemBundleStore
import FoundationEssentials
import Latch
import Logging
import NIOPosix
import Observability
import PostgresCaptureStore
import PostgresClient
import ProcessHealth
import RedisCaptureQueue
import RedisClient
import Rollout
import ServiceLifecycle

/// The worker's program: settings → clients → queue, bundles and store → the worker.
@main
struct Main {
    static func main() async {
        await Program.run(
            "capture-worker", purpose: "verifies queued captures and settles them in PostgreSQL", services: services
        )
    }

    /// In the order of their start; the worker stops first, the connections last.
    private static func services(_ settings: Settings, _ logger: Logger) async throws -> [any Service] {
        let configuration = try settings.workerConfiguration()
        FreedMemory.keep(configuration.bytesInHandMax)
        let metrics = PrometheusRegistry.bootstrap(.worker)
        CaptureMetrics.started("capture-worker", version: ProcessorVersion.current, at: Timestamp.systemTime())
        // Unique for each start: a new process must never answer for a lost one's leases.
        let consumer = "worker-\(ProcessInfo.processInfo.hostName)-\(UUID().uuidString.prefix(8).lowercased())"
        let redisConfiguration = try settings.redisConfiguration(name: consumer)
        let redis = RedisClient(
            configuration: redisConfiguration, eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            connections: settings.redisConnections, logger: logger.ofClients
        )
        // Large values on connections of their own: they delay whatever follows them.
        let bundleRedis = RedisClient(
            configuration: try settings.redisConfiguration(name: "\(consumer)-bundles"),
            eventLoopGroup: .singletonMultiThreadedEventLoopGroup, connections: settings.redisConnections,
            logger: logger.ofClients
        )
        let postgres = PostgresClient(
            configuration: settings.postgresConfiguration(name: "capture-worker"), logger: logger.ofClients
        )
        let keyspace = try settings.keyspace()
        let queue = RedisCaptureQueue(
            client: redis, keyspace: keyspace, configuration: settings.queueConfiguration, consumer: consumer,
            logger: logger, faults: settings.faults
        )
        let inHand = WorkInHand()
        let outages = OutageLogs(logger: logger)
        let files = try settings.filesystemBundles()
        let store = PostgresCaptureStore(client: postgres)
        let rollout = try settings.rolloutFile(now: Timestamp.systemTime, logger: logger)
        let worker = CaptureWorker(
            queue: queue, bundles: settings.bundleStores(redis: bundleRedis, keyspace: keyspace, files: files),
            store: store, configuration: configuration,
            now: Timestamp.systemTime, rollout: rollout.inForce, inHand: inHand,
            faults: settings.faults, outages: outages, logger: logger
        )
        let gate = Latch()
        let check = StartupCheck(
            redis: redis, keyspace: keyspace, postgres: postgres, files: files, demand: settings.durabilityDemand,
            gate: gate, logger: logger
        )
        let vitals = Vitals(registry: metrics, queue: queue, store: store) {
            CaptureMetrics.pool(.record, of: postgres)
        } onAnswer: { dependency, isUp in
            outages[dependency].probed(isUp: isUp)
        }
        let address = settings.workerMetricsAddress
        let health = HealthListener(
            host: address.host, port: address.port, vitals: vitals, hasStarted: { gate.isOpen }, logger: logger
        )
        let renewer = LeaseRenewer(
            queue: queue, redis: redisConfiguration, startedAt: Timestamp.systemTime(), logger: logger,
            clientLogger: logger.ofClients)
        let watchdog = Watchdog(limits: try settings.watchdogLimits(), inHand: inHand, logger: logger) {
            suspects, fault, done in
            renewer.surrender(suspects, fault: fault, then: done)
        }
        var services: [any Service] = [redis, bundleRedis, postgres, health, renewer, watchdog, rollout, check]
        if let files {
            services.append(
                CheckedStart(behind: gate, service: sweeper(of: files, queue, postgres, settings, logger)))
        }
        if let key = try settings.developerKey() {
            services += try receiptServices(key, gate, postgres, settings, logger)
        }
        return services + [CheckedStart(behind: gate, service: worker)]
    }

    /// Who exchanges receipts, and the connections to Apple that it does it with.
    private static func receiptServices(
        _ key: DeveloperKey, _ gate: Latch, _ postgres: PostgresClient, _ settings: Settings, _ logger: Logger
    ) throws -> [any Service] {
        let server = AppleServer(limits: settings.appleLimits)
        let exchange = AppleReceiptExchange(
            server: server, tokens: DeveloperTokens(key: key, now: Timestamp.systemTime),
            hosts: try settings.receiptHosts())
        let renewer = ReceiptRenewer(
            store: PostgresCaptureStore(client: postgres), exchange: exchange,
            configuration: try settings.receiptConfiguration(), now: Timestamp.systemTime,
            random: { .random(in: .min ... .max) }, logger: logger)
        return [server, CheckedStart(behind: gate, service: renewer)]
    }

    /// Each worker begins somewhere else, so that together they come round sooner.
    private static func sweeper(
        of files: FilesystemBundleStore, _ queue: RedisCaptureQueue, _ postgres: PostgresClient, _ settings: Settings,
        _ logger: Logger
    ) -> OrphanSweeper<RedisCaptureQueue, FilesystemBundleStore> {
        var configuration = OrphanSweeper<RedisCaptureQueue, FilesystemBundleStore>.Configuration()
        configuration.age = settings.orphanAge
        configuration.unknownAge = settings.unknownAge
        let (ledger, store) = (PostgresIntakeLedger(client: postgres), PostgresCaptureStore(client: postgres))
        return OrphanSweeper(
            bundles: files, queue: queue, standings: RecordedStanding.reader(of: store, and: ledger),
            configuration: configuration, start: SweepPosition(part: .random(in: 0..<256)), logger: logger
        )
    }
}
