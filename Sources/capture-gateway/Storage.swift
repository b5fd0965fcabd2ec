import CaptureQueue
import CaptureSettings
import FilesystemBundleStore
import Logging
import PostgresCaptureStore
import RedisCaptureQueue
import Waiting

/// Where a gateway keeps what it takes: the queue, the bundles, the record.
struct Storage {
    let keyspace: Keyspace
    let queue: RedisCaptureQueue
    /// The bundles in a directory; `nil` where none is configured.
    let files: FilesystemBundleStore?
    /// All bundles, wherever they are.
    let bundles: BundleStores
    let store: PostgresCaptureStore

    /// Sends nothing before the services run.
    /// - Parameters:
    ///   - name: What the queue calls this gateway.
    ///   - gate: Bytes are taken once it is open.
    init(
        _ settings: Settings, _ connections: Connections, name: String, gate: Latch, _ logger: Logger
    ) {
        keyspace = settings.keyspace
        queue = RedisCaptureQueue(
            client: connections.redis, keyspace: keyspace, configuration: settings.queueConfiguration, consumer: name,
            replication: connections.replicaRedis.map {
                Replication(
                    client: $0, replicas: settings.replicas, wait: settings.replicaWait,
                    backlogMax: settings.replicaBacklogMax)
            },
            logger: logger
        )
        files = settings.filesystemBundles()
        bundles = settings.bundleStores(redis: connections.bundleRedis, keyspace: keyspace, files: files) {
            gate.isOpen
        }
        store = PostgresCaptureStore(client: connections.postgres)
    }
}
