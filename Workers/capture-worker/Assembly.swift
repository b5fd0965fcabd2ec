import AppleDeviceCheck
import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureSettings
import CaptureStore
import FilesystemBundleStore
import FoundationEssentials
import Logging
import Observability
import PostgresCaptureStore
import ProcessHealth
import RedisCaptureQueue
import Rollout
import ServerProgram
import ServiceLifecycle
import Waiting
import WorkerSettings

/// Makes the services of a worker from its settings.
struct Assembly {
    private let settings: Settings
    private let configuration: WorkerConfiguration
    private let metrics: PrometheusRegistry
    private let logger: Logger
    /// Opens when the start-up check has passed, and work may begin.
    private let gate = Latch()
    private let running = RunningVerifications()
    private let outages: OutageLogs
    private let connections: Connections
    private let keyspace: Keyspace
    private let queue: RedisCaptureQueue
    /// The bundles in a directory; `nil` when none is configured.
    private let files: FilesystemBundleStore?
    private let store: PostgresCaptureStore

    /// Begins with what the services share.
    init(
        _ settings: Settings, _ configuration: WorkerConfiguration, _ metrics: PrometheusRegistry, _ logger: Logger
    ) throws(SettingsError) {
        self.settings = settings
        self.configuration = configuration
        self.metrics = metrics
        self.logger = logger
        // Unique for each start: a new process must never answer for a lost one's leases.
        let consumer = "worker-\(ProcessInfo.processInfo.hostName)-\(UUID().uuidString.prefix(8).lowercased())"
        connections = try Connections(settings, name: consumer, logger)
        keyspace = settings.keyspace
        queue = RedisCaptureQueue(
            client: connections.redis, keyspace: keyspace, configuration: settings.queueConfiguration,
            consumer: consumer, logger: logger, faults: settings.faults
        )
        outages = OutageLogs(logger: logger)
        files = settings.filesystemBundles()
        store = PostgresCaptureStore(client: connections.postgres)
    }

    /// All services, in the order of their start; the worker stops first, the connections last.
    func services() async throws -> [any Service] {
        let rollout = try await settings.rolloutFile(now: Timestamp.systemTime, logger: logger)
        let redisOutage = outages.redis
        let renewer = LeaseRenewer(
            queue: queue, redis: connections.redisConfiguration, startedAt: Timestamp.systemTime(),
            isServerAway: { redisOutage.isAway }, begun: { [running] in running.captures }, logger: logger,
            clientLogger: logger.ofClients)
        let watchdog = Watchdog(limits: try settings.watchdogLimits(), running: running, logger: logger) {
            suspects, fault, done in
            renewer.surrender(suspects, fault: fault, then: done)
        }
        var services: [any Service] = try connections.services + [health, watchdog, rollout, check]
        services.append(CheckedStart(behind: gate, service: renewer))
        if let files { services.append(CheckedStart(behind: gate, service: sweeper(of: files))) }
        services += try receiptServices()
        return services + [CheckedStart(behind: gate, service: worker(under: rollout))]
    }

    // MARK: What every worker has

    private func worker(under rollout: RolloutFile) -> some Service {
        CaptureWorker(
            queue: queue,
            bundles: settings.bundleStores(redis: connections.bundleRedis, keyspace: keyspace, files: files),
            store: store, configuration: configuration, time: Timestamp.systemTime, rollout: rollout.inForce,
            running: running, faults: settings.faults, name: queue.consumer, outages: outages, logger: logger
        )
    }

    private var check: StartupCheck {
        get throws(SettingsError) {
            StartupCheck(
                servers: StartupCheck.Servers(
                    redis: connections.redis, queue: queue, postgres: connections.postgres, files: files),
                durability: try StartupCheck.Durability(settings), gate: gate, bundleOutage: outages.bundles,
                now: Timestamp.systemTime, logger: logger
            )
        }
    }

    private var health: Listener {
        let vitals = Vitals(
            registry: metrics, queue: queue, store: store, bundles: BundleProbe(outage: outages.bundles),
            timeout: settings.workerReadinessTimeout
        ) { [postgres = connections.postgres] in
            CaptureMetrics.pool(.record, of: postgres)
        } onAnswer: { [outages, gate] server, found in
            // Before that, the start-up check itself logs what it finds of the servers.
            guard gate.isOpen else { return CaptureMetrics.dependency(server, isUp: found == .answers) }
            switch found {
            case .answers: outages.probed(server, isUp: true)
            case .isDamaged(let why): outages.probed(server, damage: why)
            case .refuses(let why), .isAway(let why):
                outages.probed(server, isUp: false, fault: why)
            }
        }
        let address = settings.workerMetricsAddress
        let isListening = Latch()
        let server = HealthListener(
            host: address.host, port: address.port, vitals: vitals, hasStarted: { [gate] in gate.isOpen },
            onListening: { isListening.open() }, logger: logger
        )
        return Listener(
            server: server, host: address.host, port: address.port, settings: "worker.metricsHost, worker.metricsPort",
            isListening: isListening)
    }

    // MARK: What some workers have

    /// The receipt renewer and its connections to Apple; none without a developer's key.
    private func receiptServices() throws(SettingsError) -> [any Service] {
        guard let key = try settings.developerKey() else { return [] }
        let (hosts, configuration) = (try settings.receiptHosts(), try settings.receiptConfiguration())
        // Made after every setting that may be refused: only its own run() closes its connections.
        let server = AppleServer(limits: settings.appleLimits)
        let exchange = AppleReceiptExchange(
            server: server, tokens: DeveloperTokens(key: key, now: Timestamp.systemTime), hosts: hosts)
        let renewer = ReceiptRenewer(
            store: store, exchange: exchange, configuration: configuration, now: Timestamp.systemTime,
            random: RandomBits.system, logger: logger)
        return [server, CheckedStart(behind: gate, service: renewer)]
    }

    /// Makes the sweeper; each worker's starts at another shard, so that together they get round sooner.
    private func sweeper(of files: FilesystemBundleStore) -> OrphanSweeper {
        let configuration = OrphanSweeper.Configuration(age: settings.orphanAge, unknownAge: settings.unknownAge)
        let ledger = PostgresIntakeLedger(client: connections.postgres)
        return OrphanSweeper(
            bundles: files, queue: queue, standings: RecordedStanding.reader(of: store, and: ledger),
            configuration: configuration, start: SweepPosition(part: .random(in: 0..<256)), outage: outages.bundles,
            logger: logger
        )
    }
}
