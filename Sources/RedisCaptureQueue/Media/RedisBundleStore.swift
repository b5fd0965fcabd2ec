public import CaptureModel
public import CaptureQueue
public import RedisClient

/// The bytes of captures in the queue's own Redis, beside their jobs.
///
/// Give it a client of its own: large values on a connection keep the small commands behind them waiting. Enqueuing takes
/// the expiry off the bytes, settling removes them.
public struct RedisBundleStore: BundleStore {
    /// `redis`: the one that the functions look after themselves.
    public static let name = "redis"

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
    public func put(_ bundle: CaptureBundle, for capture: CaptureID, device: DeviceID) async throws(QueueError) {
        let keys = keyspace.partition(of: device)
        let expiry = RedisArgument.integer(max(1, orphanLifetime.milliseconds))
        try await send([
            RedisCommand("SET", [.string(keys.photo(capture)), .buffer(bundle.photo), "NX", "PX", expiry]),
            RedisCommand("SET", [.string(keys.depth(capture)), .buffer(bundle.depth), "NX", "PX", expiry]),
        ])
    }

    public func fetch(
        _ captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [CaptureBundle?] {
        guard !captures.isEmpty else { return [] }
        let replies = try await send(
            captures.flatMap { capture, device in
                let keys = keyspace.partition(of: device)
                return [
                    RedisCommand("GET", [.string(keys.photo(capture))]),
                    RedisCommand("GET", [.string(keys.depth(capture))]),
                ]
            }
        )
        return captures.indices.map { index in
            guard let photo = replies[2 * index].buffer, let depth = replies[2 * index + 1].buffer else { return nil }
            return CaptureBundle(photo: photo, depth: depth)
        }
    }

    /// Removes the bytes unless the capture was enqueued: then they are the queue's.
    ///
    /// Enqueuing may have succeeded although its caller was never told. The expiry tells the two apart.
    public func remove(_ capture: CaptureID, device: DeviceID) async throws(QueueError) {
        let keys = keyspace.partition(of: device)
        let lifetimes = try await send([
            RedisCommand("PTTL", [.string(keys.photo(capture))]), RedisCommand("PTTL", [.string(keys.depth(capture))]),
        ])
        // -1: no expiry, so it belongs to a capture; -2: not there.
        guard !lifetimes.contains(where: { $0.int == -1 }) else { return }
        try await send([RedisCommand("UNLINK", [.string(keys.photo(capture)), .string(keys.depth(capture))])])
    }

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
