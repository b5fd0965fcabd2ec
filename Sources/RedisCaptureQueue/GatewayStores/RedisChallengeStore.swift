import CaptureModel
package import CaptureQueue
package import RedisClient

/// Challenges in Redis: a key each, deleted when it is presented, or expired.
package struct RedisChallengeStore: ChallengeStore {
    private let client: RedisClient
    private let prefix: String

    /// Sends nothing before the first call.
    /// - Parameters:
    ///   - client: The queue's server.
    ///   - prefix: What the keys begin with.
    package init(client: RedisClient, prefix: String = "challenge:") {
        self.client = client
        self.prefix = prefix
    }

    /// Notes a challenge as issued, for as long as it may be presented.
    package func issue(_ challenge: [UInt8], lifetime: Duration) async throws(QueueError) {
        _ = try await asQueueError { () throws(RedisError) in
            try await client.send(
                RedisCommand("SET", [key(challenge), "1", "PX", .integer(max(1, lifetime.milliseconds))])
            )
        }
    }

    /// Uses a challenge up: `true` for the one caller that presents it first and in time.
    package func consume(_ challenge: [UInt8]) async throws(QueueError) -> Bool {
        // No issued challenge has another size: Redis need not be asked.
        guard (1...256).contains(challenge.count) else { return false }
        return try await asQueueError { () throws(RedisError) in
            !(try await client.send(RedisCommand("GETDEL", [key(challenge)]))).isNull
        }
    }

    private func key(_ challenge: [UInt8]) -> RedisArgument { .string(prefix + Base64URL.encode(challenge)) }
}
