import CaptureGateway
import CaptureQueue
import CaptureSettings
import GatewaySettings
import Logging
import Observability
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import ServerProgram
import ServiceLifecycle
import Waiting

/// What a gateway with a ledger runs beside the HTTP server: the reconciler and its connections.
struct Reconciliation {
    let reconciler: IntakeReconciler
    let client: PostgresClient

    /// - Parameter uploadStore: The record on the connections of uploads.
    init(
        queue: RedisCaptureQueue, uploadStore: PostgresCaptureStore, bundles: BundleStores, settings: Settings,
        random: @escaping @Sendable () -> UInt64, outages: Outages, logger: Logger
    ) {
        // Two connections of its own, so that it never waits behind uploads: one holds the lock, one works.
        var configuration = settings.postgresConfiguration(name: "capture-gateway-intake")
        configuration.connectionsMax = 2
        client = PostgresClient(configuration: configuration, logger: logger)
        reconciler = IntakeReconciler(
            queue: queue, ledger: PostgresIntakeLedger(client: client), store: PostgresCaptureStore(client: client),
            uploadStore: uploadStore, bundles: bundles, configuration: settings.reconcilerConfiguration,
            random: random, outages: outages, faults: settings.faults, logger: logger
        )
    }

    /// Notes how busy its connections are.
    func measure() {
        CaptureMetrics.pool(.reconciler, of: client)
    }

    /// In the order of their start.
    func services(behind gate: Latch) -> [any Service] {
        [client, CheckedStart(behind: gate, service: reconciler)]
    }
}
