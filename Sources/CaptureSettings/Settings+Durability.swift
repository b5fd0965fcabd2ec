package import CaptureModel
package import CaptureQueue
package import FilesystemBundleStore
package import RedisCaptureQueue
package import RedisClient

extension Settings {
    /// The durability that a 202 promises.
    package var durability: DurabilityLevel { choice(.queueDurability) }

    /// The requirements that the servers' settings must meet.
    package var durabilityDemand: DurabilityDemand {
        DurabilityDemand(
            level: durability, bundleStore: bundleStore, replicas: integer(.queueReplicas),
            uploadBytesInFlightMax: bytes(.gatewayUploadBytesInFlightMax), queueBytesMax: bytes(.queueBytesMax),
            queueFieldBytesMax: integer(.queueCapturesMax) * (bytes(.assertionBytesMax) + bytes(.metadataBytesMax))
        )
    }

    /// How many replicas must confirm a capture before it is answered; zero except at the level `replicated`.
    package var replicas: Int { durability == .replicated ? integer(.queueReplicas) : 0 }

    /// How long the replicas may take to confirm.
    package var replicaWait: Duration { duration(.queueReplicaWait) }

    /// How many uploads may wait for replicas: the ledger's limit, as no level uses both.
    package var replicaBacklogMax: Int { integer(.intakeBacklogMax) }

    // MARK: Bundles

    /// The store for the bytes of new captures.
    package var bundleStore: BundleStoreName {
        value(.bundlesStore) { BundleStoreName($0) }
    }

    /// How long the bytes of no capture, or of a settled one, are kept before they are removed.
    package var orphanAge: Duration { duration(.bundlesOrphanAge) }

    /// How long bytes are kept after nobody knows their capture.
    ///
    /// With a ledger this proves that the capture was never accepted; without one the queue may have lost it.
    package var unknownAge: Duration {
        durability == .ledger ? orphanAge : max(orphanAge, duration(.bundlesUnknownAge))
    }

    /// The store in a directory, if one is configured, for new bytes or for earlier ones.
    package func filesystemBundles() -> FilesystemBundleStore? {
        text(.bundlesDirectory).map { FilesystemBundleStore(directory: $0, limits: bundleLimits) }
    }

    /// Requires a directory where new bytes go to files, and an absolute path to it in any case.
    func requireBundleDirectory() throws(SettingsError) {
        guard let directory = text(.bundlesDirectory) else {
            guard bundleStore != .filesystem else {
                throw SettingsError("\(Setting.bundlesDirectory.key): not set; bundles.store filesystem needs it")
            }
            return
        }
        guard directory.hasPrefix("/") else {
            throw refusal(of: .bundlesDirectory, "takes an absolute path")
        }
    }

    /// Bounds on the work on files.
    var bundleLimits: FilesystemBundleStore.Limits {
        var limits = FilesystemBundleStore.Limits()
        limits.threads = integer(.bundlesThreads)
        limits.backlogMax = integer(.bundlesBacklogMax)
        limits.timeout = duration(.bundlesTimeout)
        return limits
    }

    /// All configured stores, as one.
    /// - Parameters:
    ///   - redis: A separate client for large values.
    ///   - keyspace: The queue's.
    ///   - files: The store in a directory, if there is one.
    ///   - isOpen: Whether new bytes are accepted yet.
    package func bundleStores(
        redis: RedisClient, keyspace: Keyspace, files: FilesystemBundleStore?,
        isOpen: @escaping @Sendable () -> Bool = { true }
    ) -> BundleStores {
        let inRedis = RedisBundleStore(client: redis, keyspace: keyspace, orphanAge: orphanAge)
        guard let files else { return BundleStores(primary: inRedis, isOpen: isOpen) }
        return bundleStore == .filesystem
            ? BundleStores(primary: files, others: [inRedis], isOpen: isOpen)
            : BundleStores(primary: inRedis, others: [files], isOpen: isOpen)
    }
}
