/// Why a command got no usable answer.
///
/// Equality is by ``code``, so that a test or a `catch` can name the kind. The texts carry no arguments, keys or
/// passwords, only what the server or the system said.
///
/// ```swift
/// do { try await redis.send(RedisCommand("PING")) }
/// catch where error.isTransient { /* back off and try again */ }
/// ```
package struct RedisError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package enum Code: String, Sendable {
        /// The command was never written: there is no connection.
        ///
        /// Safe to send again.
        case connection
        /// The command was never written: a connection that is up had no room for it in time.
        ///
        /// Safe to send again.
        case busy
        /// The command was written and the connection broke before its answer: it may or may not have run.
        case outcomeUnknown
        /// The command was written and not answered in time; its connection is closed.
        ///
        /// It may or may not have run.
        case timeout
        /// The server answered with an error; its first word is in ``RedisError/serverPrefix``.
        case server
        /// The server sent what is not RESP2, or more than the configured bound; the connection is closed.
        case protocolViolation
        /// A URL, a limit or a certificate file is wrong.
        case configuration
        /// The client or the connection was shut down by its owner.
        case closed
        /// Too many commands or bytes wait already; the command was never written.
        case backlogFull
        /// The calling task was cancelled.
        ///
        /// The command may have run if it was written before.
        case cancelled
    }

    /// The kind of fault.
    package let code: Code
    /// What happened, safe for logs.
    package let message: String
    /// The first word of the server's error line (`NOGROUP`, `OOM`, `LOADING` …); `nil` unless ``code`` is `server`.
    package let serverPrefix: String?
    /// Whether certificates or TLS itself kept the connection from being made.
    package let isOfTLS: Bool

    /// Notes a fault of the client's own side.
    package init(_ code: Code, _ message: String, isOfTLS: Bool = false) {
        self.code = code
        self.message = message
        self.serverPrefix = nil
        self.isOfTLS = isOfTLS
    }

    /// Turns an error reply into a thrown error.
    package init(_ reply: RedisServerError) {
        self.code = .server
        self.message = reply.message
        self.serverPrefix = reply.prefix
        self.isOfTLS = false
    }

    /// Whether the same command may succeed later without any change.
    ///
    /// True of `connection`, `busy`, `outcomeUnknown`, `timeout` and `backlogFull`, and of the error replies of a server
    /// that is starting, failing over or full (``RedisServerError/isTransient``). After `outcomeUnknown` and `timeout`
    /// repeat only an idempotent command.
    package var isTransient: Bool {
        switch code {
        case .connection, .busy, .outcomeUnknown, .timeout, .backlogFull: true
        case .server: serverPrefix.map(RedisServerError.transientPrefixes.contains) ?? false
        case .protocolViolation, .configuration, .closed, .cancelled: false
        }
    }

    /// Kind and message, safe for logs.
    package var description: String { "redis \(code): \(message)" }

    /// By kind.
    package static func == (left: RedisError, right: RedisError) -> Bool { left.code == right.code }
}
