package import Waiting

/// The server's address, the log-in, and every bound of the client.
///
/// The programs have settings (`redis.…`) for the bounds, but not for ``reconnectGrace``, ``backoff``,
/// dedicated connections and subscriptions: operators should not change these.
///
/// ```swift
/// var configuration = try RedisConfiguration(url: "rediss://worker:secret@redis.internal:6380/0")
/// configuration.tls?.rootsFile = "/etc/capture-processor/redis-ca.pem"
/// ```
package struct RedisConfiguration: Sendable {
    /// How the server is reached.
    package enum Address: Hashable, Sendable, CustomStringConvertible {
        /// A host name or address literal, and a port.
        case tcp(host: String, port: Int)
        /// The path of a unix socket.
        case unixSocket(path: String)

        /// Host and port, or the path; no credentials.
        package var description: String {
            switch self {
            case .tcp(let host, let port): "\(host):\(port)"
            case .unixSocket(let path): path
            }
        }
    }

    /// How the server is reached.
    package var address: Address
    /// Verification and files of a TLS connection; `nil` for none.
    package var tls: RedisTLS?
    /// ACL user; `nil` for the server's `default` user.
    package var username: String?
    /// Password of the user.
    ///
    /// A secret: no description or error of this module contains it.
    package var password: String?
    /// Database to `SELECT`, 0 to 1023; default 0.
    package var database = 0
    /// Name for `CLIENT SETNAME`, seen in `CLIENT LIST`; printable ASCII without spaces; default `capture-processor`.
    package var clientName: String? = "capture-processor"

    /// Longest time for the lookup of the host, connecting, TLS and log-in together; default 2 s.
    ///
    /// If a server accepts and never answers, the next attempt comes after this time.
    package var connectTimeout: Duration = .seconds(2)
    /// Longest time from writing a command to its answer; then `timeout`, and the connection is closed; default 5 s.
    package var commandTimeout: Duration = .seconds(5)
    /// Longest wait of a command for a connection and a place in the pipeline; then `connection`, or `busy` if the
    /// connection is up; default 2 s.
    package var sendTimeout: Duration = .seconds(2)
    /// How long commands wait for the first connection, or for a lost one to come back; default 500 ms.
    ///
    /// After that they fail at once with `connection` until there is one: no queue builds up during an outage.
    package var reconnectGrace: Duration = .milliseconds(500)
    /// Most commands written and not yet answered, per connection; default 1,024.
    package var pipelineDepthMax = 1_024
    /// Most commands accepted and not yet answered, per connection; one more is `backlogFull`; default 16,384.
    package var backlogMax = 16_384
    /// Most bytes of commands accepted and not yet answered, per connection; default 256 MiB.
    package var backlogBytesMax = 256 << 20
    /// Most bytes of one reply, payload and framing; more is `protocolViolation`; default 64 MiB.
    package var replyBytesMax = 64 << 20
    /// Delays between attempts to connect; default 50 ms doubling to 500 ms, with full jitter.
    ///
    /// The cap bounds how late the return of a server is noticed, however long it was away.
    package var backoff = Backoff(base: .milliseconds(50), cap: .milliseconds(500), jitter: .full)
    /// Most dedicated connections (blocking reads, subscriptions) open at once; default 64.
    package var dedicatedConnectionsMax = 64
    /// Most messages a subscription keeps for a slow reader before it drops the oldest; default 1,024.
    package var subscriptionBufferMax = 1_024
    /// How often a subscription's connection is pinged; default 10 s.
    package var subscriptionPingInterval: Duration = .seconds(10)

    /// The server at an address, without log-in or TLS, with every bound at its default.
    package init(address: Address) {
        self.address = address
    }
}

extension RedisConfiguration: CustomStringConvertible {
    /// Scheme, address and database; never user or password.
    package var description: String {
        let scheme = if case .unixSocket = address { "unix" } else { tls == nil ? "redis" : "rediss" }
        return "\(scheme)://\(address) db \(database)"
    }
}
