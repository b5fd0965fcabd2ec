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

/// The queue and the record in the hands of an operator.
struct OperatorSession: Sendable {
    /// The settings that the programs go by, too.
    let settings: Settings
    /// Redis itself.
    let redis: RedisClient
    /// The queue in it.
    private(set) var queue: RedisCaptureQueue
    /// PostgreSQL itself.
    let postgres: PostgresClient
    /// The same for a look that nobody shall wait for.
    let glance: PostgresClient
    /// The record in it.
    let store: PostgresCaptureStore
    /// The bytes of the captures.
    let bundles: BundleStores
    /// Those of them that are in files; `nil` where that is not configured.
    let files: FilesystemBundleStore?

    /// What both are called, for previews.
    let servers: ServerNames

    /// Whether queue and record were both asked whose they are, and are of one installation.
    private var isKnownAsOne = false

    /// The ledger of what was accepted, beside the record.
    var ledger: PostgresIntakeLedger { PostgresIntakeLedger(client: postgres) }

    /// What is done to them, with its notes in the audit; whoever only looks needs none.
    var desk: OperatorDesk {
        OperatorDesk(
            queue: changedQueue, store: store, ledger: ledger, bundles: bundles, now: Timestamp.systemTime)
    }

    /// The queue for whoever changes it: nothing is loaded into one that may be another's.
    var changedQueue: any OperatedQueue {
        if isKnownAsOne { queue } else { OwnQueue(session: self) }
    }

    /// The same, with a queue that loads no functions where they are missing.
    var onlyLooking: OperatorSession {
        var session = self
        session.queue = RedisCaptureQueue(
            client: redis, keyspace: queue.keyspace, configuration: queue.configuration, consumer: queue.consumer,
            installsFunctions: false, logger: CommandLogger.quiet)
        return session
    }

    /// Opens both, runs a command with them, and closes them.
    /// - Parameters:
    ///   - isForBoth: Whether the command takes queue and record for those of one installation; `false` where it needs
    ///     only one of them, so that the other can neither refuse nor delay it. Whoever changes the queue asks all the
    ///     same.
    ///   - body: Returns whether all is well; otherwise the exit code is 1.
    static func run(
        _ options: OperatorOptions, isForBoth: Bool = true, _ body: @Sendable (OperatorSession) async throws -> Bool
    ) async throws {
        let settings = try await CommandSettings.read(config: options.config)
        do {
            let session = try OperatorSession(settings)
            let isWell = try await withRunning([session.redis, session.postgres, session.glance]) {
                guard isForBoth else { return try await body(session) }
                return try await body(session.held())
            }
            guard isWell else { throw CommandEnd.problems }
        } catch {
            throw CommandEnd.of(error, settings)
        }
    }

    /// The same session, once nothing is known to be another installation's.
    private func held() async throws -> OperatorSession {
        var session = self
        session.isKnownAsOne = try await requireOneInstallation()
        return session
    }

    private init(_ settings: Settings) throws(SettingsError) {
        let keyspace = try settings.keyspace()
        self.settings = settings
        servers = try ServerNames(settings)
        redis = RedisClient(
            configuration: try settings.redisConfiguration(name: "capturectl"),
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
        files = try settings.filesystemBundles()
        bundles = settings.bundleStores(redis: redis, keyspace: keyspace, files: files)
    }
}
