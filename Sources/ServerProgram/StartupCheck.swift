package import CaptureModel
import CaptureQueue
import FilesystemBundleStore
package import Logging
package import Observability
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient
import ServiceLifecycle
package import Waiting

/// Checks what must hold before a program takes part.
///
/// PostgreSQL has the schema of this release; queue, record and bundle directory belong to one installation; the
/// functions are in Redis; the queue has as many partitions as the program counts, and where nobody has noted how many,
/// what is in it lies by that number and is paused as a whole or not at all; and the settings of both servers keep what
/// is accepted.
///
/// It looks once and opens the gate, behind which a program's other services wait as ``CheckedStart``. From then on it
/// puts the installation's id and the number of partitions back into a Redis that has lost them, before a program that
/// has others can set its own, and ends the program when Redis or PostgreSQL has come to be another installation's. It
/// also replaces older functions, and reports when a server's settings no longer keep what is accepted, when a
/// certificate is about to end, or when this machine's clock and a server's differ.
package struct StartupCheck: Service {
    private let servers: Servers
    private let durability: Durability
    private let gate: Latch
    private let bundleOutage: OutageLog?
    private let now: TimeSource
    private let logger: Logger

    /// Names what is looked at.
    ///
    /// The bundle directory is looked at where there is one; the gate is opened when all is well.
    /// - Parameters:
    ///   - bundleOutage: Told while the bundle directory is waited for: nothing else works with it before.
    ///   - now: The clock by which the program notes what it does.
    package init(
        servers: Servers, durability: Durability, gate: Latch, bundleOutage: OutageLog? = nil,
        now: @escaping TimeSource, logger: Logger
    ) {
        self.servers = servers
        self.durability = durability
        self.gate = gate
        self.bundleOutage = bundleOutage
        self.now = now
        self.logger = logger
    }

    /// The kind of service, for logs.
    package var description: String { "StartupCheck" }

    /// Looks at everything once, opens the gate, and until the shutdown keeps the installation's id in Redis and looks at
    /// the servers' settings and clocks.
    ///
    /// A server that is away is waited for, and each fault of it is logged once.
    /// - Throws: ``QueueError``, ``StoreError`` or ``DurabilityRefusal`` for faults that waiting does not mend, and
    ///   ``QueueError`` when `redis.url` or `postgres.url` leads to another installation by now. A worker that went on
    ///   would reject the captures there, as their devices are not in its record, and remove their bytes.
    package func run() async throws {
        guard let (installation, known) = try await untilStopped({ try await look() }) else { return }
        watch.count(known)
        guard let differences = try await untilStopped({ try await lookAtClocks() }) else { return }
        gate.open()
        // Not waited for: their queries to a PostgreSQL that hangs would hold up the stop.
        let watching = [
            Task { [watch] in await watch.run(after: known) },
            Task { [clocks] in await clocks.run(after: differences) },
        ]
        defer { for task in watching { task.cancel() } }
        try await cancelWhenGracefulShutdown { try await keeper.keep(installation) }
    }

    private var watch: DurabilityWatch {
        DurabilityWatch(
            redis: servers.redis, postgres: servers.postgres, demand: durability.demand,
            certificates: { [durability, now] in durability.certificates(now()) }, pause: durability.pause,
            logger: logger)
    }

    private var clocks: ClockWatch {
        ClockWatch(
            redis: servers.redis, postgres: servers.postgres, now: now, pause: durability.pause, logger: logger)
    }

    private var keeper: InstallationKeeper {
        InstallationKeeper(
            redis: servers.redis, keyspace: servers.keyspace, records: servers.records, logger: logger)
    }

    private func lookAtClocks() async throws(CancellationError) -> ClockWatch.Differences {
        var known = ClockWatch.Differences()
        await clocks.look(&known)
        // A stop ends the look like a server that does not answer; the gate stays closed then.
        if Task.isCancelled { throw CancellationError() }
        return known
    }

    /// Asks the record first: it alone can tell whose Redis may be changed.
    private func look() async throws -> (InstallationID, DurabilityWatch.Findings) {
        try hold(durability.precautions)
        var known = DurabilityWatch.Findings(certificates: durability.certificates(now()))
        try hold(known.certificates)
        let installation = try await ServerWait.untilDone(with: "PostgreSQL", logger: logger) {
            try await Migrator(client: servers.postgres).requireCurrent()
            known.postgres = try await RecordDurability.read(from: servers.postgres).problems
            try hold(known.postgres)
            return try await PostgresInstallation(client: servers.postgres).require()
        }
        for record in servers.records { record.require(installation) }
        try await ServerWait.untilDone(with: "Redis", logger: logger) {
            try await QueueInstallation.field.refuseOther(than: installation, in: servers.keyspace, on: servers.redis)
            try await QueuePartitions.requireLayout(servers.keyspace, on: servers.redis)
            try await QueuePartitions.requirePause(servers.keyspace, on: servers.redis)
            if case .kept(let version) = try await FunctionLibrary.current.install(on: servers.redis) {
                logger.warning(
                    "Redis is full and keeps an older function library, which is replaced when there is room",
                    metadata: ["version": "\(version)", "wanted": "\(FunctionLibrary.current.version)"])
            }
            try await QueuePartitions.require(servers.keyspace, on: servers.redis)
            known.redis = try await DurabilityReport.read(from: servers.redis, demand: durability.demand).problems
            try hold(known.redis)
        }
        try await belongTogether(installation)
        return (installation, known)
    }

    /// Requires queue and bundle directory to be the record's.
    private func belongTogether(_ installation: InstallationID) async throws {
        try await ServerWait.untilDone(with: "Redis", logger: logger) {
            try await QueueInstallation.field.require(installation, in: servers.keyspace, on: servers.redis)
            try await compareLimits()
        }
        servers.queue.require(installation)
        guard let files = servers.files else { return }
        try await ServerWait.untilDone(with: "the bundle directory", outage: bundleOutage, logger: logger) {
            try await files.require(installation)
        }
    }

    /// Warns of limits that are not the queue's: during a rollout of new ones that is as it should be.
    private func compareLimits() async throws(QueueError) {
        let differences = try await MediaLimitDifference.find(
            from: servers.queue.configuration, in: servers.keyspace, on: servers.redis)
        for difference in differences {
            logger.warning(
                "the queue has another limit than this program",
                metadata: [
                    "setting": "\(difference.setting)", "limit": "\(difference.own)", "kept": "\(difference.kept)",
                ])
        }
    }

    /// Refuses or warns, as the level asks.
    private func hold(_ problems: [SettingProblem]) throws(DurabilityRefusal) {
        if let refusal = DurabilityRefusal(problems, level: durability.demand.level) { throw refusal }
        for problem in problems {
            logger.warning(problem.gravity.message, metadata: ["problem": "\(problem)"])
        }
    }
}
