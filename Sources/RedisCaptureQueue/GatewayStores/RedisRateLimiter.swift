package import CaptureModel
package import CaptureQueue
package import Logging
package import RedisClient

/// Request counts in Redis: no window of the given length ever holds more admitted requests than the limit.
package struct RedisRateLimiter: RateLimiter {
    /// The highest limit, as the times of that many requests are kept per client.
    package static let limitMax = 1_000

    /// The prefix of a login's subject; a full server counts logins too.
    static let login = "login:"

    private let functions: FunctionCaller
    private let prefix: String

    /// Sends nothing before the first call.
    /// - Parameters:
    ///   - client: The queue's server, with the function library.
    ///   - prefix: What the keys begin with; limiters of different purposes have different ones.
    ///   - logger: Told when the library had to be loaded again.
    package init(client: RedisClient, prefix: String = "rate:", logger: Logger) {
        functions = FunctionCaller(client: client, installs: true, logger: logger)
        self.prefix = prefix
    }

    /// Counts one request and tells whether it is within the limit.
    package func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision {
        let function: QueueFunction = client.utf8.starts(with: Self.login.utf8) ? .admitLogin : .admit
        let reply = try await functions.call(
            function,
            // A client's name comes from a request, so it is cut to a bounded length.
            keys: [prefix + String(decoding: client.utf8.prefix(128), as: UTF8.self)],
            [.integer(min(max(1, limit), Self.limitMax)), .integer(max(1, window.milliseconds))]
        )
        guard let wait = reply.int, wait >= 0 else { throw .malformed(function) }
        return wait == 0 ? .allowed : .limited(retryAfter: .milliseconds(wait))
    }

    /// Remembers a message by a key that is there for the window; no time is kept that a clock could contradict.
    package func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool {
        let key = RedisArgument.string("\(prefix)replay:\(digest.hex)")
        let lifetime = RedisArgument.integer(max(1, window.milliseconds))
        return try await asQueueError { () throws(RedisError) in
            !(try await functions.client.send(RedisCommand("SET", [key, "1", "NX", "PX", lifetime]))).isNull
        }
    }
}
