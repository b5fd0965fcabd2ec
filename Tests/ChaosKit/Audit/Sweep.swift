import CaptureModel
import CaptureProcessing
import CaptureQueue
import FilesystemBundleStore
import Logging
import NIOPosix
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient
import TestSupport

/// A sweep of the bundle folder by the workers' rules, at once instead of after `bundles.orphanAge`.
///
/// It asks the run's own queue and record, so that it decides as the workers' does: what either of them keeps it leaves.
/// Only for the end of a run, when nobody uploads any more.
package struct Sweep: Sendable {
    private let directory: String
    private let redis: String
    private let postgres: String
    private let keyspace: Keyspace

    /// Says where everything is.
    /// - Parameters:
    ///   - directory: The folder.
    ///   - redis: The queue's address.
    ///   - postgres: The record's.
    ///   - partitions: How many the queue has.
    package init(directory: String, redis: String, postgres: String, partitions: Int) {
        self.directory = directory
        self.redis = redis
        self.postgres = postgres
        keyspace = Keyspace(partitions: partitions) ?? .standard
    }

    /// Goes through the folder once.
    package func run() async throws {
        let client = RedisClient(
            configuration: try RedisConfiguration(url: redis), eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
            logger: .quiet)
        let database = PostgresClient(configuration: PostgresConfiguration(conninfo: postgres), logger: .quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { try await database.run() }
            defer { group.cancelAll() }
            try await sweep(asking: client, database)
        }
    }

    private func sweep(asking client: RedisClient, _ database: PostgresClient) async throws {
        let configuration = OrphanSweeper.Configuration(age: .zero, unknownAge: .zero)
        let sweeper = OrphanSweeper(
            bundles: FilesystemBundleStore(directory: directory),
            queue: RedisCaptureQueue(client: client, keyspace: keyspace, consumer: "sweep", logger: .quiet),
            standings: RecordedStanding.reader(
                of: PostgresCaptureStore(client: database), and: PostgresIntakeLedger(client: database)),
            configuration: configuration, start: SweepPosition(part: 0), logger: .quiet)
        var position = SweepPosition(part: 0)
        repeat { position = try await sweeper.step(from: position) } while position != SweepPosition(part: 0)
    }
}
