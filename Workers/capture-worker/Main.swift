import CaptureModel
import CaptureProcessing
import CaptureSettings
import FoundationEssentials
import Logging
import NIOPosix
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient
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
        let worker = CaptureWorker(
            queue: queue, bundles: RedisBundleStore(client: bundleRedis, keyspace: keyspace),
            store: PostgresCaptureStore(client: postgres), configuration: try settings.workerConfiguration(),
            now: Timestamp.systemTime, inHand: inHand, faults: settings.faults, logger: logger
        )
        let check = StartupCheck(
            redis: redis, postgres: postgres, demand: settings.durabilityDemand, logger: logger
        )
        let renewer = LeaseRenewer(
            queue: queue, redis: redisConfiguration, logger: logger, clientLogger: logger.ofClients)
        let watchdog = Watchdog(limits: settings.watchdogLimits, inHand: inHand, logger: logger) { suspects, fault in
            renewer.surrender(suspects, fault: fault)
        }
        return [redis, bundleRedis, postgres, renewer, watchdog, CheckedStart(check: check, service: worker)]
    }
}
