extension Setting {
    // MARK: Servers

    package static let redisURL = Setting(
        "redis.url", .text, "redis://127.0.0.1:6379", secret: true,
        "The queue's Redis: redis://, rediss:// (TLS, host name checked) or unix:///path[?user=…&password=…]."
    )
    package static let redisTLSRoots = Setting(
        "redis.tlsRoots", .text, nil,
        "PEM file with the roots that Redis's certificate must lead to; the system's when not set."
    )
    package static let redisTLSCertificate = Setting(
        "redis.tlsCertificate", .text, nil,
        "PEM file with this program's certificate for a Redis that asks for one (tls-auth-clients), leaf first."
    )
    package static let redisTLSKey = Setting(
        "redis.tlsKey", .text, nil, "PEM file with the private key of redis.tlsCertificate; both or neither."
    )
    package static let redisConnections = Setting(
        "redis.connections", .integer(1...64), "2", "Connections that share the commands of one program."
    )
    package static let redisCommandTimeout = Setting(
        "redis.commandTimeout", .duration(.milliseconds(100) ... .seconds(120)), "5s",
        "How long Redis may take to answer a command before the connection is given up."
    )
    package static let redisConnectTimeout = Setting(
        "redis.connectTimeout", .duration(.milliseconds(100) ... .seconds(60)), "2s",
        "How long connecting to Redis may take, lookup, TLS and log-in together, before the next attempt."
    )
    package static let redisSendTimeout = Setting(
        "redis.sendTimeout", .duration(.milliseconds(100) ... .seconds(60)), "2s",
        "How long a command may wait for a place among those that are under way."
    )
    package static let redisPipelineDepthMax = Setting(
        "redis.pipelineDepthMax", .integer(1...65_536), "1024",
        "Commands of one connection that are sent and not yet answered."
    )
    package static let redisBacklogMax = Setting(
        "redis.backlogMax", .integer(2048...1_048_576), "16384",
        "Commands of one connection that wait for their answer, sent or not; one more fails at once."
    )
    package static let redisBacklogBytesMax = Setting(
        "redis.backlogBytesMax", .bytes((16 << 20)...(8 << 30)), "256MiB",
        "Their bytes; with bundles in Redis at least those of the largest one."
    )
    package static let redisReplyBytesMax = Setting(
        "redis.replyBytesMax", .bytes((16 << 20)...(1 << 30)), "64MiB",
        "Bytes of one answer; with bundles in Redis at least those of the largest one."
    )
    package static let postgresURL = Setting(
        "postgres.url", .text, "postgresql:///capture", secret: true,
        "PostgreSQL, as libpq takes it: a postgresql:// address or keywords; TLS by its sslmode."
    )
    package static let postgresConnectionsMax = Setting(
        "postgres.connectionsMax", .integer(1...200), "8",
        "Connections that one program opens at the most; a gateway with a ledger two more, for its reconciler."
    )
    package static let postgresStatementTimeout = Setting(
        "postgres.statementTimeout", .duration(.milliseconds(100) ... .seconds(600)), "10s",
        "How long a statement may take before PostgreSQL ends it; "
            + "a worker's no longer than half of worker.outageHold, or 1s."
    )
    package static let postgresLockTimeout = Setting(
        "postgres.lockTimeout", .duration(.milliseconds(100) ... .seconds(600)), "5s",
        "How long a statement may wait for a lock; a worker's no longer than a quarter of worker.outageHold."
    )
    package static let postgresConnectTimeout = Setting(
        "postgres.connectTimeout", .duration(.milliseconds(100) ... .seconds(60)), "2s",
        "How long connecting to PostgreSQL may take, all hosts and addresses and their lookup together."
    )
    package static let postgresAcquireTimeout = Setting(
        "postgres.acquireTimeout", .duration(.milliseconds(100) ... .seconds(600)), "5s",
        "How long a call may wait for a free connection."
    )
    package static let postgresWaitersMax = Setting(
        "postgres.waitersMax", .integer(1...100_000), "1024", "Calls that wait for a free connection at the most."
    )

    /// The settings of Redis and PostgreSQL.
    static let servers = [
        redisURL, redisTLSRoots, redisTLSCertificate, redisTLSKey, redisConnections, redisCommandTimeout,
        redisConnectTimeout, redisSendTimeout, redisPipelineDepthMax, redisBacklogMax, redisBacklogBytesMax,
        redisReplyBytesMax, postgresURL, postgresConnectionsMax, postgresStatementTimeout, postgresLockTimeout,
        postgresConnectTimeout, postgresAcquireTimeout, postgresWaitersMax,
    ]
}
