package import CaptureModel
package import CaptureSettings
package import FilesystemBundleStore
package import PostgresClient
package import RedisCaptureQueue
package import RedisClient

extension StartupCheck {
    /// The servers that a program works with.
    package struct Servers: Sendable {
        let redis: RedisClient
        let keyspace: Keyspace
        let limits: RedisQueueConfiguration
        let postgres: PostgresClient
        let files: FilesystemBundleStore?

        /// Names them.
        /// - Parameters:
        ///   - limits: The program's own limits of the queue.
        ///   - files: The bundle directory, where the program has one.
        package init(
            redis: RedisClient, keyspace: Keyspace, limits: RedisQueueConfiguration, postgres: PostgresClient,
            files: FilesystemBundleStore? = nil
        ) {
            self.redis = redis
            self.keyspace = keyspace
            self.limits = limits
            self.postgres = postgres
            self.files = files
        }
    }

    /// The durability that the servers' settings must give.
    package struct Durability: Sendable {
        let demand: DurabilityDemand
        let precautions: [SettingProblem]
        let pause: Duration

        /// Says what is demanded.
        /// - Parameters:
        ///   - precautions: Risks in the program's own settings, reported before the servers are checked.
        ///   - pause: The pause between two looks at the servers' settings and clocks: short enough after a failover, and
        ///     a look costs the servers next to nothing.
        package init(
            _ demand: DurabilityDemand, precautions: [SettingProblem] = [], pause: Duration = .seconds(30)
        ) {
            self.demand = demand
            self.precautions = precautions
            self.pause = pause
        }

        /// Demands what a program's settings promise.
        package init(_ settings: Settings) throws(SettingsError) {
            self.init(settings.durabilityDemand, precautions: try settings.transportProblems())
        }
    }
}
