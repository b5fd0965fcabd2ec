import ArgumentParser
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

/// Servers of a benchmark's own with the settings of production, and the queue and the record in them.
struct BenchStage: Sendable {
    static let appID = "BENCHTEAM1.org.example.capture"

    let redis: PrivateRedis
    let postgres: PrivatePostgres
    /// The client of the queue.
    let client: RedisClient
    let queue: RedisCaptureQueue
    let bundles: RedisBundleStore
    /// The client of the record.
    let database: PostgresClient
    let store: PostgresCaptureStore
    let ledger: PostgresIntakeLedger
    /// Writes uploads into the ledger in groups, as a gateway does.
    let journal: IntakeJournal
    /// What the programs of the system are started with.
    let environment: [String: String]

    /// The most that can be asked for: beyond it a run would measure the disk's size.
    static let bytesMax = 8 << 30

    /// How programs are started whose lines are waited for: whatever CAPTURE_… says, they are logged.
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
        let client = RedisClient(
            configuration: try patient(redis.url), eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            connections: 2, logger: CommandLogger.quiet)
        let bundleClient = RedisClient(
            configuration: try patient(redis.url), eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            connections: 2, logger: CommandLogger.quiet)
        var configuration = PostgresConfiguration(conninfo: conninfo)
        configuration.connectionsMax = 16
        configuration.acquireTimeout = patience
        configuration.statementTimeout = patience
        let database = PostgresClient(configuration: configuration, logger: CommandLogger.quiet)
        var limits = RedisQueueConfiguration()
        limits.capturesMax = 10_000_000
        limits.capturesPerDeviceMax = 10_000_000
        limits.bytesMax = bytesMax
        limits.bytesPerDeviceMax = bytesMax
        let ledger = PostgresIntakeLedger(client: database)
        let stage = BenchStage(
            redis: redis, postgres: postgres, client: client,
            queue: RedisCaptureQueue(
                client: client, configuration: limits, consumer: "bench", logger: CommandLogger.quiet),
            bundles: RedisBundleStore(client: bundleClient), database: database,
            store: PostgresCaptureStore(client: database),
            ledger: ledger,
            journal: IntakeJournal(
                ledger: ledger,
                limits: IntakeJournal.Limits(groupMax: 256, backlogMax: 100_000, waitMax: patience)),
            environment: [
                "CAPTURE_REDIS_URL": redis.url, "CAPTURE_POSTGRES_URL": conninfo, "CAPTURE_APP_IDS": appID,
                "CAPTURE_QUEUE_BYTES_MAX": "\(bytesMax)", "CAPTURE_QUEUE_CAPTURES_MAX": "1000000",
                "CAPTURE_QUEUE_CAPTURES_PER_DEVICE_MAX": "1000000",
                "CAPTURE_QUEUE_BYTES_PER_DEVICE_MAX": "\(bytesMax)",
            ])
        return try await withRunning([client, bundleClient, database, stage.journal]) {
            try await recycleLog(of: postgres)
            _ = try await Migrator(client: database).up()
            _ = try await FunctionLibrary.current.install(on: client)
            try await stage.queue.applyLimits()
            return try await body(stage)
        }
    }

    /// As many segments of 16 MiB as a run fills.
    private static let logSegments = 24

    /// A server that has run for a while writes over old segments of its log; a new one has to
    /// fill each with zeros first.
    private static func recycleLog(of postgres: PrivatePostgres) async throws {
        let fill = "SELECT pg_logical_emit_message(false, 'bench', 'segment'); SELECT pg_switch_wal();"
        _ = try await postgres.psql(String(repeating: fill, count: logSegments))
        _ = try await postgres.psql("CHECKPOINT")
    }

    /// Leaves nothing of what was written for the autovacuum and the checkpointer to do during a run.
    func checkpoint() async throws {
        try await vacuum()
        try await database.withConnection { connection throws(PostgresError) in
            try await connection.executeScript("CHECKPOINT")
        }
    }

    /// Does what filling the queue leaves to the autovacuum, which would come by some time during a run or not at all.
    func vacuum() async throws {
        try await database.withConnection { connection throws(PostgresError) in
            try await connection.executeScript("VACUUM ANALYZE")
        }
    }

    /// Waits while Redis rewrites its log, which a large backlog makes it do: a core's work that no drain brings.
    func untilLogIsRewritten() async throws {
        func isBusy() async throws -> Bool {
            let state = try await redis.cli("INFO", "persistence")
            return ["aof_rewrite_in_progress:1", "aof_rewrite_scheduled:1"].contains { state.contains($0) }
        }
        while try await isBusy() { try await Task.sleep(for: .milliseconds(50)) }
    }

    /// Filling the queue is no measurement: it may take its time on a machine that does much else.
    private static let patience = Duration.seconds(60)

    private static func patient(_ url: String) throws -> RedisConfiguration {
        var configuration = try RedisConfiguration(url: url)
        configuration.commandTimeout = patience
        configuration.sendTimeout = patience
        return configuration
    }

    /// Hands captures off as a gateway with a ledger does.
    var handOff: HandOff<RedisCaptureQueue, RedisBundleStore> {
        HandOff(queue: queue, bundles: bundles, record: journal.record, now: Timestamp.systemTime) { receivedAt in
            var generator = SystemRandomNumberGenerator()
            return CaptureID.make(at: receivedAt, using: &generator)
        }
    }
}

/// What every benchmark on a stage takes.
struct StageOptions: ParsableArguments {
    @Option(help: "Folder with the servers' settings: redis.conf and postgresql.conf.", completion: .directory)
    var settings = "Config"

    @Option(help: "Decides what the captures show.")
    var seed: UInt64 = 1

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func validate() throws {
        for file in ["redis.conf", "postgresql.conf"]
        where !FileManager.default.isReadableFile(atPath: "\(settings)/\(file)") {
            throw ValidationError("--settings: \(settings)/\(file) cannot be read; run it where the sources are")
        }
    }
}

/// A size on the command line: `4KB`, `3MB`, or a number of bytes; thousands and millions of them.
struct ByteCount: ExpressibleByArgument, Encodable {
    let bytes: Int

    init(_ bytes: Int) {
        self.bytes = bytes
    }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let unit = argument.dropFirst(digits.count).uppercased()
        let factors = [
            "": 1, "B": 1, "K": 1000, "KB": 1000, "KIB": 1 << 10, "M": 1_000_000, "MB": 1_000_000, "MIB": 1 << 20,
        ]
        guard let count = Int(digits), let factor = factors[unit], count < 1 << 32 else { return nil }
        bytes = count * factor
    }

    var defaultValueDescription: String { "\(bytes)" }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
