package import CaptureModel
package import CaptureSettings
package import FilesystemBundleStore
import PostgresCaptureStore
package import PostgresClient
package import RedisCaptureQueue
package import RedisClient

extension StartupCheck {
    /// The servers that a program works with.
    package struct Servers: Sendable {
        let redis: RedisClient
        let queue: RedisCaptureQueue
        let postgres: PostgresClient
        /// The record, by each client that the program has of it.
        let records: [PostgresInstallation]
        let files: FilesystemBundleStore?

        /// Names them.
        /// - Parameters:
        ///   - queue: The program's own queue: once it is known whose it must be, it is told.
        ///   - reconciler: The reconciler's client, where the program has one.
        ///   - files: The bundle directory, where the program has one.
        package init(
            redis: RedisClient, queue: RedisCaptureQueue, postgres: PostgresClient,
            reconciler: PostgresClient? = nil, files: FilesystemBundleStore? = nil
        ) {
            self.redis = redis
            self.queue = queue
            self.postgres = postgres
            records = [postgres, reconciler].compactMap(\.self).map { PostgresInstallation(client: $0) }
            self.files = files
        }

        /// The names of the queue's keys.
        var keyspace: Keyspace { queue.keyspace }
    }

    /// The durability that the servers' settings must give.
    package struct Durability: Sendable {
        let demand: DurabilityDemand
        let precautions: [SettingProblem]
        let certificates: @Sendable (Timestamp) -> [SettingProblem]
        let pause: Duration

        /// Says what is demanded.
        /// - Parameters:
        ///   - precautions: Risks in the program's own settings, reported before the servers are checked.
        ///   - certificates: The certificates of the program's own settings that end soon, as seen from a moment.
        ///   - pause: The pause between two looks at the servers' settings and clocks: short enough after a failover, and
        ///     a look costs the servers next to nothing.
        package init(
            _ demand: DurabilityDemand, precautions: [SettingProblem] = [],
            certificates: @escaping @Sendable (Timestamp) -> [SettingProblem] = { _ in [] },
            pause: Duration = .seconds(30)
        ) {
            self.demand = demand
            self.precautions = precautions
            self.certificates = certificates
            self.pause = pause
        }

        /// Demands what a program's settings promise.
        package init(_ settings: Settings) throws(SettingsError) {
            let certificates = settings.namedCertificates()
            self.init(
                settings.durabilityDemand, precautions: try settings.transportProblems(),
                certificates: { certificates.ending(at: $0) })
        }
    }
}
