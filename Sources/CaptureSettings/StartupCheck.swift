public import CaptureModel
public import FilesystemBundleStore
public import Latch
public import Logging
import PostgresCaptureStore
public import PostgresClient
public import RedisCaptureQueue
public import RedisClient
public import ServiceLifecycle

/// What must hold before a program takes part: the functions are in Redis, the queue has as many partitions as the program
/// counts, PostgreSQL has the schema of this release, and the settings of both keep what is accepted.
///
/// It looks once and opens the gate, behind which a program's other services wait as ``CheckedStart``.
public struct StartupCheck: Service {
    private let redis: RedisClient
    private let postgres: PostgresClient
    private let files: FilesystemBundleStore?
    private let keyspace: Keyspace
    private let demand: DurabilityDemand
    private let gate: Latch
    private let logger: Logger

    /// Names what is looked at.
    ///
    /// The bundle directory is looked at where there is one; the gate is opened when all is well.
    public init(
        redis: RedisClient, keyspace: Keyspace, postgres: PostgresClient, files: FilesystemBundleStore? = nil,
        demand: DurabilityDemand, gate: Latch, logger: Logger
    ) {
        self.files = files
        self.keyspace = keyspace
        self.gate = gate
        self.redis = redis
        self.postgres = postgres
        self.demand = demand
        self.logger = logger
    }

    /// The kind of service, for logs.
    public var description: String { "StartupCheck" }

    /// Looks at everything once, opens the gate, and has nothing more to do.
    ///
    /// A server that is away is waited for, logged once.
    /// - Throws: ``QueueError``, ``StoreError`` or ``DurabilityRefusal`` for what waiting does not mend.
    public func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await look() }
        } catch is CancellationError {
            return
        }
        gate.open()
        // Ends with the service group's cancellation as well: either way there is nothing left to look at.
        try? await gracefulShutdown()
    }

    private func look() async throws {
        try await ServerWait.untilDone(with: "Redis", logger: logger) {
            if case .kept(let version) = try await FunctionLibrary.current.install(on: redis) {
                logger.warning(
                    "Redis is full and keeps an older function library; a gateway replaces it when there is room",
                    metadata: ["version": "\(version)", "wanted": "\(FunctionLibrary.current.version)"])
            }
            try await PartitionRecord.require(keyspace, on: redis)
            try hold(try await DurabilityReport.read(from: redis, demand: demand).problems)
        }
        try await ServerWait.untilDone(with: "PostgreSQL", logger: logger) {
            try await Migrator(client: postgres).requireCurrent()
            try hold(try await RecordDurability.read(from: postgres).problems)
        }
        if let files {
            try await ServerWait.untilDone(with: "the bundle directory", logger: logger) { try await files.check() }
        }
    }

    /// Refuses or warns, as the level asks.
    private func hold(_ problems: [DurabilityProblem]) throws(DurabilityRefusal) {
        if let refusal = DurabilityRefusal(problems, level: demand.level) { throw refusal }
        for problem in problems {
            logger.warning(
                problem.isPassing ? "not everything is there yet" : "accepted captures could be lost",
                metadata: ["problem": "\(problem)"])
        }
    }
}
