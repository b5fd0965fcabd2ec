import CaptureSettings
import Logging
import NIOPosix
import PostgresClient
import RedisClient
import ServerProgram
import ServiceLifecycle

/// A gateway's connections to Redis and PostgreSQL.
struct Connections {
    let redis: RedisClient
    /// For bundles: large values delay whatever follows them on a connection.
    let bundleRedis: RedisClient
    /// For calls that wait for replicas, behind which nothing else may wait; `nil` where none do.
    let replicaRedis: RedisClient?
    let postgres: PostgresClient

    /// Connects nothing before the services run.
    /// - Parameter name: What the servers call this gateway.
    init(_ settings: Settings, name: String, _ logger: Logger) throws(SettingsError) {
        let connections = settings.redisConnections
        redis = Self.client(try settings.redisGatewayConfiguration(name: name), connections: connections, logger)
        bundleRedis = Self.client(
            try settings.redisGatewayConfiguration(name: "\(name)-bundles", isForBytes: true),
            connections: connections, logger)
        if settings.replicas > 0 {
            replicaRedis = Self.client(
                try settings.redisGatewayConfiguration(name: "\(name)-replicated"), connections: 1, logger)
        } else {
            replicaRedis = nil
        }
        postgres = PostgresClient(
            configuration: settings.postgresGatewayConfiguration(name: "capture-gateway"), logger: logger
        )
    }

    /// In the order of their start.
    var services: [any Service] {
        [redis, bundleRedis, postgres] + (replicaRedis.map { [$0] } ?? [])
    }

    private static func client(
        _ configuration: RedisConfiguration, connections: Int, _ logger: Logger
    ) -> RedisClient {
        RedisClient(
            configuration: configuration, eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            connections: connections, logger: logger.ofClients
        )
    }
}
