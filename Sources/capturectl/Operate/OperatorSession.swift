import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureSettings
import CaptureStore
import FilesystemBundleStore
import Logging
import NIOPosix
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient

/// An operator's connections to the queue and the record.
struct OperatorSession: Sendable {
    /// The settings, shared with the gateway and the worker.
    let settings: Settings
    /// Redis itself.
    let redis: RedisClient
    /// The queue in it.
    private(set) var queue: RedisCaptureQueue
    /// PostgreSQL itself.
    let postgres: PostgresClient
    /// A second client with short timeouts, for questions that must not delay a command.
    let glance: PostgresClient
    /// The record in it.
    let store: PostgresCaptureStore
    /// The bytes of the captures.
    let bundles: BundleStores
    /// The store of bytes in files; `nil` if it is not configured.
    let files: FilesystemBundleStore?

    /// The names of both servers, for previews.
    let servers: ServerNames

    /// Whether queue and record have both answered, belong to one installation, and the queue has kept its partitions.
    private var isKnownAsOne = false

    /// The ledger of accepted captures, beside the record.
    var ledger: PostgresIntakeLedger { PostgresIntakeLedger(client: postgres) }

    /// The queue for commands that change it: no functions are loaded into one that may be another's.
    ///
    /// Asks whose it is if a server did not answer before the command, and requires the record's schema: what is done to
    /// the queue is noted there.
    func ownQueue() async throws -> RedisCaptureQueue {
        if !isKnownAsOne { try await requireOwnQueue() }
        try await requireSchema()
        return queue
    }

    /// Carries out actions on a queue and notes them in the audit; commands that only read need none.
    func actions(on queue: RedisCaptureQueue) -> QueueActions {
        QueueActions(
            queue: queue, store: store, ledger: ledger, isLedgerKept: settings.durability == .ledger, bundles: bundles,
            now: Timestamp.systemTime)
    }

    /// What is recorded of a device; `nil` if there is none, which is told on the error stream.
    func record(of device: DeviceID) async throws(StoreError) -> DeviceRecord? {
        let record = try await store.record(of: device)
        if record == nil {
            let owner = try await otherOwner(of: device)
            standardError("capturectl: no device \(device)\(owner)\n")
        }
        return record
    }

    /// The session for commands that only read: its queue loads no missing functions.
    var onlyLooking: OperatorSession {
        var session = self
        session.queue = RedisCaptureQueue(
            client: redis, keyspace: queue.keyspace, configuration: queue.configuration, consumer: queue.consumer,
            installsFunctions: false, logger: CommandLogger.quiet)
        return session
    }

    /// Opens both, runs a command with them, and closes them.
    /// - Parameters:
    ///   - checksInstallation: Whether to check first that queue and record belong to one installation; `false` for
    ///     commands that need only one of them, so that the other can neither refuse nor delay them. Commands that
    ///     change the queue check it in any case.
    ///   - body: Returns whether all is well; if not, the exit code is 1.
    static func run(
        _ options: OperatorOptions, checksInstallation: Bool = true,
        _ body: @Sendable (OperatorSession) async throws -> Bool
    ) async throws {
        let settings = try await CommandSettings.read(config: options.config)
        do {
            let session = try OperatorSession(settings)
            let isWell = try await withRunning([session.redis, session.postgres, session.glance]) {
                guard checksInstallation else { return try await body(session) }
                return try await body(session.checked())
            }
            guard isWell else { throw CommandEnd.problems }
        } catch {
            throw CommandEnd.reported(error, settings)
        }
    }

    /// The session after the check that nothing belongs to another installation.
    private func checked() async throws -> OperatorSession {
        var session = self
        session.isKnownAsOne = try await requireOneInstallation()
        return session
    }

    private init(_ settings: Settings) throws(SettingsError) {
        let keyspace = settings.keyspace
        self.settings = settings
        servers = try ServerNames(settings)
        redis = RedisClient(
            configuration: try settings.commandRedisConfiguration(),
            eventLoopGroup: .singletonMultiThreadedEventLoopGroup, logger: CommandLogger.silent
        )
        postgres = PostgresClient(
            configuration: settings.postgresConfiguration(name: "capturectl"), logger: CommandLogger.silent
        )
        glance = PostgresClient(
            configuration: Self.hasty(settings.postgresConfiguration(name: "capturectl")), logger: CommandLogger.silent
        )
        queue = RedisCaptureQueue(
            client: redis, keyspace: keyspace, configuration: settings.queueConfiguration,
            consumer: "capturectl", logger: CommandLogger.quiet
        )
        store = PostgresCaptureStore(client: postgres)
        files = settings.filesystemBundles()
        bundles = settings.bundleStores(redis: redis, keyspace: keyspace, files: files)
    }
}
