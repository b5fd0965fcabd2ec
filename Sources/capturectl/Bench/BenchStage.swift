import CaptureCrowd
import CaptureModel
import DeviceSimulator
import FoundationEssentials
import IntakeJournal
import NIOPosix
import PostgresCaptureStore
import PostgresClient
import PrivateServers
import RedisCaptureQueue
import RedisClient
import Waiting

/// A benchmark's own servers with production settings, and the queue and the record in them.
struct BenchStage: Sendable {
    static let appID = "BENCHTEAM1.org.example.capture"

    let redis: PrivateRedis
    let postgres: PrivatePostgres
    /// The client of the queue.
    let client: RedisClient
    let queue: RedisCaptureQueue
    let bundles: RedisBundleStore
    /// The client of the bundles.
    private let bundleClient: RedisClient
    /// The client of the record.
    let database: PostgresClient
    let store: PostgresCaptureStore
    let ledger: PostgresIntakeLedger
    /// Writes uploads into the ledger in groups, as a gateway does.
    let journal: IntakeJournal
    /// The environment of the programs that it starts.
    let environment: [String: String]

    /// The largest backlog allowed: beyond it a run would measure the disk's size.
    static let bytesMax = 8 << 30

    /// The arguments that make programs log the lines that are waited for, whatever CAPTURE_… says.
    static let programArguments = ["--log-format", "text", "--log-level", "notice"]
    /// How long a program may take to say that it has started.
    static let startLimit = Duration.seconds(60)

    /// Starts the servers, runs a body beside them, and ends them.
    /// - Parameter settings: The folder with `redis.conf` and `postgresql.conf`.
    static func run<Value: Sendable>(
        settings: String, _ body: @Sendable (BenchStage) async throws -> Value
    ) async throws -> Value {
        let redis = try await PrivateRedis.start(try ServerSettings.redis(file: "\(settings)/redis.conf"))
        let postgres = try await PrivatePostgres.start(
            try ServerSettings.postgres(file: "\(settings)/postgresql.conf"))
        let conninfo = try await postgres.createDatabase()
        let stage = try BenchStage(redis: redis, postgres: postgres, conninfo: conninfo)
        // As in the programs that it stands for.
        return try await withTaskExecutorPreference(EventLoopExecutor.shared) {
            try await withRunning([stage.client, stage.bundleClient, stage.database, stage.journal]) {
                try await stage.prepare()
                return try await body(stage)
            }
        }
    }

    /// Connects nothing before the clients run.
    private init(redis: PrivateRedis, postgres: PrivatePostgres, conninfo: String) throws {
        self.redis = redis
        self.postgres = postgres
        client = RedisClient(
            configuration: try Self.patient(redis.url), eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            connections: 2, logger: CommandLogger.quiet)
        bundleClient = RedisClient(
            configuration: try Self.patient(redis.url), eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            connections: 2, logger: CommandLogger.quiet)
        queue = RedisCaptureQueue(
            client: client, configuration: Self.limits, consumer: "bench", logger: CommandLogger.quiet)
        bundles = RedisBundleStore(client: bundleClient)
        var configuration = PostgresConfiguration(conninfo: conninfo)
        configuration.connectionsMax = 16
        configuration.acquireTimeout = Self.patience
        configuration.statementTimeout = Self.patience
        database = PostgresClient(configuration: configuration, logger: CommandLogger.quiet)
        store = PostgresCaptureStore(client: database)
        ledger = PostgresIntakeLedger(client: database)
        journal = IntakeJournal(
            ledger: ledger,
            limits: IntakeJournal.Limits(groupMax: 256, backlogMax: 100_000, waitMax: Self.patience))
        environment = [
            "CAPTURE_REDIS_URL": redis.url, "CAPTURE_POSTGRES_URL": conninfo, "CAPTURE_APP_IDS": Self.appID,
            "CAPTURE_QUEUE_BYTES_MAX": "\(Self.bytesMax)", "CAPTURE_QUEUE_CAPTURES_MAX": "1000000",
            "CAPTURE_QUEUE_CAPTURES_PER_DEVICE_MAX": "1000000",
            "CAPTURE_QUEUE_BYTES_PER_DEVICE_MAX": "\(Self.bytesMax)",
        ]
    }

    private static var limits: RedisQueueConfiguration {
        var limits = RedisQueueConfiguration()
        limits.capturesMax = 10_000_000
        limits.capturesPerDeviceMax = 10_000_000
        limits.bytesMax = bytesMax
        limits.bytesPerDeviceMax = bytesMax
        return limits
    }

    /// Brings record and queue to the state in which a release starts.
    private func prepare() async throws {
        try await Self.recycleLog(of: postgres)
        _ = try await Migrator(client: database).up()
        _ = try await FunctionLibrary.current.install(on: client)
        try await queue.applyLimits()
    }

    /// As many segments of 16 MiB as a run fills.
    private static let logSegments = 24

    /// Fills segments of PostgreSQL's log in advance, as on a server that has run for a while.
    ///
    /// Such a server overwrites old segments; a new one has to fill each with zeros first.
    private static func recycleLog(of postgres: PrivatePostgres) async throws {
        let fill = "SELECT pg_logical_emit_message(false, 'bench', 'segment'); SELECT pg_switch_wal();"
        _ = try await postgres.psql(String(repeating: fill, count: logSegments))
        _ = try await postgres.psql("CHECKPOINT")
    }

    /// Does the autovacuum's and the checkpointer's work in advance, so that none is left for a run.
    func checkpoint() async throws {
        try await vacuum()
        try await database.withConnection { connection throws(PostgresError) in
            try await connection.executeScript("CHECKPOINT")
        }
    }

    /// Does the autovacuum's work after filling the queue, which it might do during a run or not at all.
    func vacuum() async throws {
        try await database.withConnection { connection throws(PostgresError) in
            try await connection.executeScript("VACUUM ANALYZE")
        }
    }

    /// Waits until Redis has rewritten its log, as it does after a large backlog: a core's work that no drain causes.
    func untilLogIsRewritten() async throws {
        try await Self.untilRewritten { [redis] in
            let state = try await redis.cli("INFO", "persistence")
            return ["aof_rewrite_in_progress:1", "aof_rewrite_scheduled:1"].contains { state.contains($0) }
        }
    }

    /// Asks again and again whether a server rewrites its log.
    /// - Throws: ``BenchFailed`` if it still does when the time is over.
    static func untilRewritten(
        within limit: Duration = BenchStage.rewriteMax, _ isBeingRewritten: @escaping @Sendable () async throws -> Bool
    ) async throws {
        let ended: Void? = try await Deadline.result(until: .now + limit) {
            while try await isBeingRewritten() { try await Task.sleep(for: .milliseconds(50)) }
        }
        guard ended != nil else { throw BenchFailed("Redis has not rewritten its log in time") }
    }

    /// Enough for the largest backlog on a slow disk.
    static let rewriteMax = Duration.seconds(600)

    /// The timeout for filling the queue, which is not measured and may be slow on a busy machine.
    private static let patience = Duration.seconds(60)

    private static func patient(_ url: String) throws -> RedisConfiguration {
        var configuration = try RedisConfiguration(url: url)
        configuration.commandTimeout = patience
        configuration.sendTimeout = patience
        return configuration
    }

    /// Hands captures off as a gateway with a ledger does.
    var handOff: HandOff<RedisCaptureQueue, RedisBundleStore> {
        HandOff(
            queue: queue, bundles: bundles, record: { [journal] in try await journal.record($0) },
            now: Timestamp.systemTime
        ) { receivedAt in
            var generator = SystemRandomNumberGenerator()
            return CaptureID.make(at: receivedAt, using: &generator)
        }
    }
}
