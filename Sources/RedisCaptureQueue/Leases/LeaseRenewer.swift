package import CaptureModel
import CaptureQueue
package import Logging
import NIOCore
import NIOPosix
package import RedisClient
import ServiceLifecycle
import Synchronization

/// A worker's membership of the queue: renews its leases while it runs and hands back its lanes when it stops.
///
/// Renewal has a thread, an event loop and a connection of its own and never touches the cooperative pool: work that
/// keeps every core busy cannot starve it, and so cannot lose its lanes to other workers. Put it into the service group
/// after the client and before the worker's pool, so that it outlives the pool.
package final class LeaseRenewer: Service {
    private let queue: RedisCaptureQueue
    private let redis: RedisConfiguration
    private let startedAt: Timestamp
    private let isServerAway: @Sendable () -> Bool
    private let begun: (@Sendable () -> [CaptureID])?
    private let logger: Logger
    /// Its own connection, while it runs.
    private let connection = Mutex<RedisClient?>(nil)
    private let clientLogger: Logger
    private let leaveLimit: Duration

    /// How long handing back may take when the shutdown time is over, connecting included: less than the program is
    /// given to end.
    package static let defaultLeaveLimit = Duration.seconds(2)

    /// Connects nothing before ``run()``.
    /// - Parameters:
    ///   - queue: Whose leases are renewed.
    ///   - redis: The queue's server, for its own connection.
    ///   - startedAt: When the worker started, for operators.
    ///   - isServerAway: Whether Redis is away for the worker's other connections.
    ///   - begun: The captures that are being verified right now. If the worker stops meanwhile, these are marked
    ///     suspect and worked alone; those that only waited for a server are not.
    ///   - leaveLimit: How long handing back may take when the shutdown time is over.
    ///   - logger: Logs lost leases and refused renewals, once per change.
    ///   - clientLogger: Logs when the connection is lost and back.
    package init(
        queue: RedisCaptureQueue, redis: RedisConfiguration, startedAt: Timestamp,
        isServerAway: @escaping @Sendable () -> Bool = { false }, begun: (@Sendable () -> [CaptureID])? = nil,
        leaveLimit: Duration = defaultLeaveLimit, logger: Logger, clientLogger: Logger
    ) {
        self.queue = queue
        self.redis = redis
        self.startedAt = startedAt
        self.isServerAway = isServerAway
        self.begun = begun
        self.leaveLimit = leaveLimit
        self.logger = logger
        self.clientLogger = clientLogger
    }

    /// Renews every third of the lease's time, and every 1.5 s at least, until graceful shutdown or cancellation, then
    /// leaves the queue.
    ///
    /// During an outage it tries in quick succession, so that no other worker comes first once the server is back. If
    /// it is cancelled, because the worker has not stopped in time, its lanes are handed back all the same.
    package func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = RedisClient(configuration: ownConfiguration, eventLoopGroup: group, logger: clientLogger)
        connection.withLock { $0 = client }
        defer { connection.withLock { $0 = nil } }
        let eventLoop = group.next()
        let heartbeat = Heartbeat(
            queue: queue, client: client, eventLoop: eventLoop, interval: interval, startedAt: startedAt,
            isServerAway: isServerAway, logger: logger)
        // The worker claims meanwhile, so its leases are renewed even if joining fails.
        async let joining: Void = attempt("joining the queue") { () throws(QueueError) in try await queue.join() }
        let beats = eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(interval)) { _ in
            heartbeat.beat()
        }
        let result = await withTaskGroup(of: Result<Void, any Error>.self) { tasks in
            tasks.addTask { await Self.outcome { try await client.run() } }
            tasks.addTask { await Self.outcome { try await gracefulShutdown() } }
            // The client ends by itself only when its configuration is wrong.
            let first = await tasks.next() ?? .success(())
            heartbeat.stop()
            tasks.cancelAll()
            return first
        }
        beats.cancel()
        await joining
        // Not cancelled with this task: cancellation has ended every other connection.
        let limit = Task.isCancelled ? leaveLimit : ownConfiguration.connectTimeout + redis.commandTimeout
        await Task { await leave(over: client, within: limit) }.value
        try await group.shutdownGracefully()
        if case .failure(let error) = result, !(error is CancellationError) { throw error }
    }

    /// Gives up every lease of a worker that is about to end, and names the captures that may be the cause.
    ///
    /// Nothing awaits here, since the cooperative pool may be stuck. Lanes that are not reached in time wait until
    /// their leases run out.
    /// - Parameters:
    ///   - suspects: Captures whose delivery counts; for the others that were claimed with them no attempt counts.
    ///   - fault: What happened, in words that are safe to show.
    ///   - limit: How long the queue may take to answer.
    ///   - done: Called once, on the connection's own event loop, where the worker must end.
    package func surrender(
        _ suspects: [CaptureID], fault: String, within limit: Duration = .milliseconds(500),
        then done: @escaping @Sendable () -> Void
    ) {
        guard let client = connection.withLock({ $0 }) else { return done() }
        let replies = queue.surrenders(of: suspects, fault: fault).map { client.sendFuture($0, timeout: limit) }
        guard let loop = replies.first?.eventLoop else { return done() }
        EventLoopFuture.whenAllComplete(replies, on: loop).whenSuccess { [logger] results in
            for case .failure(let error) in results {
                logger.error("lanes are left to their leases", metadata: ["fault": "\(error)"])
            }
            done()
        }
    }

    private func leave(over client: RedisClient, within limit: Duration) async {
        await attempt("leaving the queue") { () throws(QueueError) in
            let lanes = try await queue.leave(over: client, having: begun?(), within: limit)
            if lanes > 0 { logger.notice("handed lanes back", metadata: ["lanes": "\(lanes)"]) }
        }
    }

    /// How often leases are renewed, and signs of life may be given.
    ///
    /// It is bounded even for a long lease, for two reasons: operators see by the signs which workers live; and during
    /// a rolling restart that changes the lease, a worker whose lease is 5 s must not take over this one's lanes.
    static func interval(ofLease lease: Duration) -> Duration {
        max(.milliseconds(10), min(lease / 3, .milliseconds(1500)))
    }

    private var interval: Duration { Self.interval(ofLease: queue.configuration.leaseDuration) }

    /// A command timeout of a sixth of the lease: a silent connection is closed, and the next beat uses another one.
    ///
    /// By then at most two thirds of the lease are over. The timeout depends on the lease, not on how often it beats,
    /// so a longer lease has more patience with the server. Connecting has at least a second, as it would never succeed
    /// if a short lease always cut it off.
    private var ownConfiguration: RedisConfiguration {
        let limit = max(.milliseconds(10), queue.configuration.leaseDuration / 3) / 2
        var configuration = redis
        configuration.commandTimeout = min(redis.commandTimeout, limit)
        configuration.connectTimeout = min(redis.connectTimeout, max(.seconds(1), limit))
        return configuration
    }

    private static func outcome(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// Logs a failed step: leases lapse, and groups are made when needed, so it must not stop starting or stopping.
    private func attempt(_ step: String, _ body: () async throws(QueueError) -> Void) async {
        do {
            try await body()
        } catch {
            logger.notice("\(step) failed", metadata: ["fault": "\(error)"])
        }
    }
}
