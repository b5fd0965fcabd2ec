package import CaptureModel
package import CaptureQueue
package import Logging
package import RedisClient

/// Logins in Redis: a key each, which expires with the session.
package struct RedisSessionStore: SessionStore {
    private let client: RedisClient
    private let functions: FunctionCaller
    private let prefix: String

    /// Sends nothing before the first call.
    /// - Parameters:
    ///   - client: The queue's server, with the function library.
    ///   - prefix: What the keys begin with.
    ///   - logger: Told when the library had to be loaded again.
    package init(client: RedisClient, prefix: String = "session:", logger: Logger) {
        self.client = client
        functions = FunctionCaller(client: client, installs: true, logger: logger)
        self.prefix = prefix
    }

    /// Remembers a session for its lifetime.
    package func begin(
        _ session: LoginSession, as key: SHA256Digest, lifetime: Duration
    ) async throws(QueueError) {
        _ = try await functions.call(
            .session, keys: [name(key)],
            [.string(session.text), .integer(max(1, lifetime.milliseconds))])
    }

    /// The session of a key; `nil` when there is none or its time is over.
    package func session(_ key: SHA256Digest) async throws(QueueError) -> LoginSession? {
        let reply = try await asQueueError { () throws(RedisError) in
            try await client.send(RedisCommand("GET", [.string(name(key))]))
        }
        return reply.wholeText.flatMap { LoginSession(text: $0) }
    }

    /// Forgets a session; nothing happens when there is none.
    package func end(_ key: SHA256Digest) async throws(QueueError) {
        _ = try await asQueueError { () throws(RedisError) in
            try await client.send(RedisCommand("DEL", [.string(name(key))]))
        }
    }

    private func name(_ key: SHA256Digest) -> String { prefix + key.hex }
}
