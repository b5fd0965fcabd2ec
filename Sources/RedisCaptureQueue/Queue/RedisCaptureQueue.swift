package import CaptureModel
import CaptureQueue
package import FaultPoints
package import Logging
package import RedisClient
import Synchronization

/// The queue in Redis: lanes, tokens in a stream, and one atomic function per transition.
///
/// ```swift
/// let queue = RedisCaptureQueue(client: client, consumer: "worker-1", logger: logger)
/// _ = try await FunctionLibrary.current.install(on: client)
/// let leases = try await queue.claim(lanesMax: 32, capturesPerLaneMax: 8, wait: .seconds(5))
/// ```
///
/// Gateways use it as it is. A worker runs a ``LeaseRenewer`` beside it.
package final class RedisCaptureQueue: CaptureQueue {
    /// Limits and times.
    package let configuration: RedisQueueConfiguration
    /// The names of its keys.
    package let keyspace: Keyspace
    /// The name under which this process claims: unique for each start of a worker.
    package let consumer: String

    let functions: FunctionCaller
    /// Enqueues captures and waits for replicas; `nil` when replicas are not required.
    let replicated: ReplicatedCalls?
    let leases: LeaseKeeper
    let claims: ClaimState
    let partitionRefusals: PartitionRefusals
    let reader: BlockingReader
    let logger: Logger
    let faults: ArmedFaults
    /// The installation whose queue this must be; `nil` until it is known.
    private let installation = Mutex<InstallationID?>(nil)

    /// Sends nothing before the first call.
    /// - Parameters:
    ///   - client: The client that all calls but the renewal of leases go through.
    ///   - keyspace: The names of its keys.
    ///   - configuration: Limits and times.
    ///   - consumer: Unique for each start of a worker; gateways may take any name.
    ///   - replication: Whether a capture is enqueued only once replicas have it.
    ///   - installsFunctions: Whether missing functions are loaded; otherwise their calls are refused.
    ///   - logger: Alarms and changes of state.
    ///   - faults: What a test run has armed.
    package init(
        client: RedisClient, keyspace: Keyspace = .standard,
        configuration: RedisQueueConfiguration = RedisQueueConfiguration(), consumer: String,
        replication: Replication? = nil, installsFunctions: Bool = true, logger: Logger, faults: ArmedFaults = .none
    ) {
        self.keyspace = keyspace
        self.configuration = configuration
        self.consumer = consumer
        self.logger = logger
        self.faults = faults
        let functions = FunctionCaller(client: client, installs: installsFunctions, logger: logger)
        self.functions = functions
        replicated = replication.map { ReplicatedCalls($0, functions: functions) }
        reader = BlockingReader(client: client, logger: logger)
        leases = LeaseKeeper(ageMax: configuration.leaseAgeMax)
        claims = ClaimState(partitions: keyspace.partitions)
        partitionRefusals = PartitionRefusals(partitions: keyspace.partitions, logger: logger)
    }

    /// From now on calls that claim captures or put some in are `unavailable` where the queue is another installation's.
    ///
    /// Else a worker whose `redis.url` has come to lead there would reject the captures and remove their bytes.
    package func require(_ installation: InstallationID) { self.installation.withLock { $0 = installation } }

    /// Calls a function of one partition.
    func call(
        _ function: QueueFunction, in partition: PartitionKeys, _ arguments: [RedisArgument] = []
    ) async throws(QueueError) -> RedisValue {
        try await functions.call(function, keys: [partition.ready] + installationKeys(in: partition), arguments)
    }

    /// The key by which a call names the installation that it is meant for, if that is known.
    func installationKeys(in partition: PartitionKeys) -> [String] {
        installation.withLock { $0 }.map { [partition.installation($0)] } ?? []
    }

    /// Calls a function of every partition; errors of single ones are among the values.
    func askEach(
        _ function: QueueFunction, _ arguments: [RedisArgument] = []
    ) async throws(QueueError) -> [RedisValue] {
        try await callAll(calls(function, arguments))
    }

    /// Calls a function of every partition; the first error is thrown.
    func callEach(
        _ function: QueueFunction, _ arguments: [RedisArgument] = []
    ) async throws(QueueError) -> [RedisValue] {
        try await askEach(function, arguments).withoutErrors()
    }

    /// Whether a function that does something in one partition at most, and then answers 1, has done it.
    ///
    /// The calls that have not been sent by then are left out, and errors of other partitions do not hide that it is done.
    func callUntilDone(_ function: QueueFunction, _ arguments: [RedisArgument]) async throws(QueueError) -> Bool {
        for page in calls(function, arguments).pages(of: Self.commandsMax) {
            let replies = try await functions.callAll(page)
            if replies.contains(where: { $0.int == 1 }) { return true }
            _ = try replies.withoutErrors()
        }
        return false
    }

    private func calls(_ function: QueueFunction, _ arguments: [RedisArgument]) -> [RedisCommand] {
        keyspace.all.map { FunctionCaller.command(function, keys: [$0.ready], arguments) }
    }

    /// How many commands are sent at once.
    ///
    /// With many partitions there are more than a connection takes, and other callers' commands would wait behind them.
    static let commandsMax = 1_000

    /// Calls functions, up to ``commandsMax`` at once; errors of single ones are among the values.
    func callAll(_ calls: [RedisCommand]) async throws(QueueError) -> [RedisValue] {
        try await inPages(calls) { page async throws(QueueError) in try await functions.callAll(page) }
    }

    /// Sends plain commands, up to ``commandsMax`` at once; errors of single ones are among the replies.
    func replies(to commands: [RedisCommand]) async throws(QueueError) -> [RedisValue] {
        try await inPages(commands) { page async throws(QueueError) in try await functions.client.replies(to: page) }
    }

    /// Sends plain commands, up to ``commandsMax`` at once; the first error is thrown.
    func send(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisValue] {
        try await replies(to: commands).withoutErrors()
    }

    private func inPages(
        _ commands: [RedisCommand], send: ([RedisCommand]) async throws(QueueError) -> [RedisValue]
    ) async throws(QueueError) -> [RedisValue] {
        guard commands.count > Self.commandsMax else { return try await send(commands) }
        var replies: [RedisValue] = []
        replies.reserveCapacity(commands.count)
        for page in commands.pages(of: Self.commandsMax) { replies += try await send(page) }
        return replies
    }
}
