import AppleDeviceCheck
import BoundedHTTP
import CaptureGateway
import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureSettings
import FilesystemBundleStore
import FoundationEssentials
import GatewaySettings
import Logging
import Observability
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import Rollout
import ServerProgram
import ServiceLifecycle
import Waiting

/// Makes the services of a gateway from its settings.
struct Assembly {
    private let settings: Settings
    private let logger: Logger
    /// Opens when all checks of the start are passed.
    private let gate = Latch()
    /// Opens when the server has its address.
    private let isListening = Latch()
    private let connections: Connections
    private let storage: Storage
    private let changes: RedisStateChanges
    private var dependencies: GatewayDependencies

    /// Begins with what every gateway has.
    init(_ settings: Settings, _ metrics: PrometheusRegistry, _ logger: Logger) throws(SettingsError) {
        self.settings = settings
        self.logger = logger
        let name = "gateway-\(ProcessInfo.processInfo.hostName)"
        let gate = gate
        let connections = try Connections(settings, name: name, logger)
        let storage = Storage(settings, connections, name: name, gate: gate, logger)
        let changes = RedisStateChanges(
            client: connections.redis, keyspace: storage.keyspace, watchersMax: settings.watchersMax,
            installation: { [postgres = connections.postgres] in
                try await gate.waitUntilOpen()
                return try await PostgresInstallation(client: postgres).require()
            }, logger: logger)
        self.connections = connections
        self.storage = storage
        self.changes = changes
        dependencies = GatewayDependencies(
            queue: storage.queue, bundles: storage.bundles, store: storage.store,
            challenges: RedisChallengeStore(client: connections.redis),
            limiter: RedisRateLimiter(client: connections.redis, logger: logger), changes: changes, metrics: metrics,
            now: Timestamp.systemTime, random: RandomBits.system, logger: logger
        )
        if settings.bundleStore == .filesystem, let files = storage.files {
            dependencies.checkBundles = { () async throws(QueueError) in try await files.prove() }
        }
        dependencies.registry = storage.store
        dependencies.faults = settings.faults
        dependencies.hasStarted = { gate.isOpen }
    }

    /// All services, in the order of their start; the server stops first, the connections last.
    mutating func services() async throws -> [any Service] {
        let reconciliation = keepLedger()
        dependencies.operators = operators
        dependencies.enrolment = try enrolment()
        dependencies.gauges = { [postgres = connections.postgres] in
            CaptureMetrics.pool(.record, of: postgres)
            reconciliation?.measure()
        }
        let rollout = try await settings.rolloutFile(now: Timestamp.systemTime, logger: logger)
        dependencies.rollout = rollout.inForce
        let configuration = try settings.gatewayConfiguration().fittingDescriptors(logger)
        let check = try check(of: reconciliation)
        let apple = try askApple()
        let server = try server(configuration)
        // The first to start is the last to stop.
        let announcement = Announcement(latches: [gate, isListening], logger: logger)
        return [announcement, MemoryReturn()] + connections.services + apple + [rollout, changes, check] + checked
            + (reconciliation?.services(behind: gate) ?? []) + [server]
    }

    // MARK: What some gateways have

    /// Records every upload in the ledger and restores the queue from it, if the settings say so.
    private mutating func keepLedger() -> Reconciliation? {
        guard settings.durability == .ledger else { return nil }
        let reconciliation = Reconciliation(
            queue: storage.queue, uploadStore: storage.store, bundles: storage.bundles, settings: settings,
            random: RandomBits.system, outages: dependencies.outages, logger: logger)
        let reconciler = reconciliation.reconciler
        dependencies.intake = PostgresIntakeLedger(client: connections.postgres)
        dependencies.onRestoring = { reconciler.wake() }
        return reconciliation
    }

    private func enrolment() throws(SettingsError) -> EnrolmentDependencies? {
        guard let seal = try settings.enrolmentSeal() else { return nil }
        return EnrolmentDependencies(store: storage.store, seal: seal)
    }

    /// Asks Apple about devices without App Attest, if there is a developer's key.
    ///
    /// Called after everything that may refuse a setting: only its own `run()` closes the connections to Apple.
    /// - Returns: The connections to Apple.
    private mutating func askApple() throws(SettingsError) -> [any Service] {
        guard let key = try settings.developerKey() else { return [] }
        let hosts = try settings.deviceCheckHosts()
        let server = AppleServer(limits: settings.appleLimits)
        dependencies.deviceCheck = DeviceCheckClient(
            server: server, tokens: DeveloperTokens(key: key, now: Timestamp.systemTime), hosts: hosts,
            retries: settings.deviceCheckRetries, now: Timestamp.systemTime, random: RandomBits.system)
        return [server]
    }

    // MARK: What every gateway has

    /// What operators work with: the ledger as well, which may have rows of earlier times where none is kept.
    private var operators: OperatorDependencies {
        OperatorDependencies(
            actions: QueueActions(
                queue: storage.queue, store: storage.store,
                ledger: PostgresIntakeLedger(client: connections.postgres),
                isLedgerKept: settings.durability == .ledger, bundles: storage.bundles, now: Timestamp.systemTime),
            archive: storage.store, sessions: RedisSessionStore(client: connections.redis, logger: logger)
        )
    }

    private func server(_ configuration: GatewayConfiguration) throws -> any Service {
        let server = try CaptureGateway.application(
            configuration: configuration, dependencies: dependencies
        ) { [logger, isListening] address in
            isListening.open()
            guard let address else { return }
            logger.notice("listening on \(address.httpURL)")
        }
        return Listener(
            server: server, host: configuration.connections.host, port: configuration.connections.port,
            settings: "gateway.host, gateway.port", isListening: isListening)
    }

    private func check(of reconciliation: Reconciliation?) throws(SettingsError) -> StartupCheck {
        StartupCheck(
            servers: StartupCheck.Servers(
                redis: connections.redis, queue: storage.queue, postgres: connections.postgres,
                reconciler: reconciliation?.client, files: storage.files),
            durability: try StartupCheck.Durability(settings), gate: gate,
            bundleOutage: dependencies.outages.bundles, now: Timestamp.systemTime, logger: logger
        )
    }

    /// What begins once the check is passed.
    private var checked: [any Service] {
        let setup = QueueSetup(queue: storage.queue, redis: connections.redis, logger: logger)
        let purger = EnrolmentPurger(
            store: storage.store, configuration: settings.enrolmentPurger, logger: logger)
        return [CheckedStart(behind: gate, service: setup), CheckedStart(behind: gate, service: purger)]
    }
}
