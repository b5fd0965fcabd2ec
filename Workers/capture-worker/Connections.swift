import CaptureSettings
import Logging
import NIOPosix
import PostgresClient
import RedisClient
import ServerProgram
import ServiceLifecycle

/// A worker's connections to Redis and PostgreSQL.
struct Connections {
    /// For further connections, such as the one over which leases are renewed.
    let redisConfiguration: RedisConfiguration
    let redis: RedisClient
    /// Large values have connections of their own, as they delay whatever follows them.
    let bundleRedis: RedisClient
    let postgres: PostgresClient

    /// Connects nothing before the services run.
    /// - Parameter name: The worker's name as a client of Redis.
    init(_ settings: Settings, name: String, _ logger: Logger) throws(SettingsError) {
        redisConfiguration = try settings.redisConfiguration(name: name)
        redis = RedisClient(
            configuration: redisConfiguration, eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            connections: settings.redisConnections, logger: logger.ofClients
        )
        bundleRedis = RedisClient(
            configuration: try settings.redisConfiguration(name: "\(name)-bundles"),
            eventLoopGroup: .singletonMultiThreadedEventLoopGroup, connections: settings.redisConnections,
            logger: logger.ofClients
        )
        postgres = PostgresClient(
            configuration: settings.postgresWorkerConfiguration(name: "capture-worker"), logger: logger
        )
    }

    /// The connections in the order of their start.
    var services: [any Service] { [redis, bundleRedis, postgres] }
}
