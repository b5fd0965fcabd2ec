public import CaptureModel
public import CaptureQueue
public import RedisClient

/// Logins in Redis: a key each, gone when its time is over.
public struct RedisSessionStore: SessionStore {
    private let client: RedisClient
    private let prefix: String

    /// Puts the store together.
    /// - Parameters:
    ///   - client: The queue's server.
    ///   - prefix: What the keys begin with.
    public init(client: RedisClient, prefix: String = "session:") {
        self.client = client
        self.prefix = prefix
    }

    public func begin(
        _ session: LoginSession, as key: SHA256Digest, lifetime: Duration
    ) async throws(QueueError) {
        let value = RedisArgument.string("\(session.token.hex) \(session.name)")
        try await send(RedisCommand("SET", [name(key), value, "PX", .integer(max(1, lifetime.milliseconds))]))
    }

    public func session(_ key: SHA256Digest) async throws(QueueError) -> LoginSession? {
        let client = client
        let reply = try await translating { () throws(RedisError) in
            try await client.send(RedisCommand("GET", [name(key)]))
        }
        guard let parts = reply.string?.split(separator: " ", maxSplits: 1), parts.count == 2,
            let token = SHA256Digest(hex: String(parts[0]))
        else { return nil }
        return LoginSession(token: token, name: String(parts[1]))
    }

    public func end(_ key: SHA256Digest) async throws(QueueError) {
        try await send(RedisCommand("DEL", [name(key)]))
    }

    private func send(_ command: RedisCommand) async throws(QueueError) {
        _ = try await translating { () throws(RedisError) in try await client.send(command) }
    }

    private func name(_ key: SHA256Digest) -> RedisArgument { .string(prefix + key.hex) }
}
