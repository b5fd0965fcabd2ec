public import CaptureModel
public import CaptureQueue
public import RedisClient

/// The bytes of captures in the queue's own Redis, beside their jobs.
///
/// Give it a client of its own: large values on a connection keep the small commands behind them waiting. Enqueuing takes
/// the expiry off the bytes, settling removes them.
public struct RedisBundleStore: BundleStore {
    /// `redis`: the one that the functions look after themselves.
    public var name: BundleStoreName { .redis }

    private let client: RedisClient
    private let keyspace: Keyspace
    private let orphanLifetime: Duration

    /// Puts the store together.
    /// - Parameters:
    ///   - client: A client of its own, with a command timeout that fits the largest bundle.
    ///   - keyspace: The queue's.
    ///   - orphanLifetime: After what time bytes vanish whose capture was never enqueued.
    public init(client: RedisClient, keyspace: Keyspace = .standard, orphanLifetime: Duration = .seconds(900)) {
        self.client = client
        self.keyspace = keyspace
        self.orphanLifetime = orphanLifetime
    }

    /// Stores the bytes under the capture's id, which must be new: bytes that are there already are never overwritten.
    public func put(_ bundle: CaptureBundle, of submission: CaptureSubmission) async throws(QueueError) {
        let keys = keyspace.partition(of: submission.device)
        let expiry = RedisArgument.integer(max(1, orphanLifetime.milliseconds))
        try await send([
            RedisCommand("SET", [.string(keys.photo(submission.id)), .buffer(bundle.photo), "NX", "PX", expiry]),
            RedisCommand("SET", [.string(keys.depth(submission.id)), .buffer(bundle.depth), "NX", "PX", expiry]),
        ])
    }

    public func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedBundle] {
        guard !submissions.isEmpty else { return [] }
        let replies = try await send(
            submissions.flatMap { submission in
                let keys = keyspace.partition(of: submission.device)
                return [
                    RedisCommand("GET", [.string(keys.photo(submission.id))]),
                    RedisCommand("GET", [.string(keys.depth(submission.id))]),
                ]
            }
        )
        return submissions.indices.map { index in
            guard let photo = replies[2 * index].buffer, let depth = replies[2 * index + 1].buffer else {
                return .missing
            }
            return .found(CaptureBundle(photo: photo, depth: depth))
        }
    }

    /// Removes the bytes unless the capture was enqueued: then they are the queue's.
    ///
    /// Enqueuing may have succeeded although its caller was never told. The expiry tells the two apart.
    public func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        let partition = keyspace.partition(of: submission.device)
        let keys = [partition.photo(submission.id), partition.depth(submission.id)].map { RedisArgument.string($0) }
        let lifetimes = try await send(keys.map { RedisCommand("PTTL", [$0]) })
        // -1: no expiry, so it belongs to a capture; -2: not there.
        guard !lifetimes.contains(where: { $0.int == -1 }) else { return }
        try await send([RedisCommand("UNLINK", keys)])
    }

    /// Nothing to do: the functions that settle and discard remove the bytes in the same step.
    public func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {}

    @discardableResult
    private func send(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisValue] {
        try await translating { () throws(RedisError) in
            let replies = try await client.pipeline(commands)
            guard replies.count == commands.count else {
                throw RedisError(.protocolViolation, "a pipeline was answered in part")
            }
            var values: [RedisValue] = []
            for reply in replies { values.append(try reply.get()) }
            return values
        }
    }
}
