package import CaptureModel
package import CaptureQueue
package import FilesystemBundleStore
package import RedisCaptureQueue
package import RedisClient

extension Settings {
    /// What a 202 rests on.
    package var durability: DurabilityLevel {
        text(.queueDurability).flatMap { DurabilityLevel(rawValue: $0) } ?? .ledger
    }

    /// What the servers' settings are held to.
    package var durabilityDemand: DurabilityDemand {
        DurabilityDemand(
            level: durability, bundleStore: bundleStore, replicas: integer(.queueReplicas),
            bundleBytesMax: bytes(.gatewayUploadBytesInFlightMax), queueBytesMax: bytes(.queueBytesMax),
            queueFieldBytesMax: integer(.queueCapturesMax) * (bytes(.assertionBytesMax) + bytes(.metadataBytesMax))
        )
    }

    /// How many replicas have a capture before it is answered for; zero but at the level `replicated`.
    package var replicas: Int { durability == .replicated ? integer(.queueReplicas) : 0 }

    /// How long the replicas may take.
    package var replicaWait: Duration { duration(.queueReplicaWait) }

    /// How many uploads may wait for the replicas: as many as would for the ledger, which there is at another level.
    package var replicaBacklogMax: Int { integer(.intakeBacklogMax) }

    // MARK: Bundles

    /// Where the bytes of new captures go.
    package var bundleStore: BundleStoreName {
        text(.bundlesStore).flatMap { BundleStoreName($0) } ?? .redis
    }

    /// How long bytes lie before those of no capture, or of a settled one, are removed.
    package var orphanAge: Duration { duration(.bundlesOrphanAge) }

    /// How long bytes may lie once nobody knows their capture.
    ///
    /// With a ledger that proves that it was never accepted; without one the queue may have lost it.
    package var unknownAge: Duration {
        durability == .ledger ? orphanAge : max(orphanAge, duration(.bundlesUnknownAge))
    }

    /// The store in a directory, where one is configured: for new bytes, or for those of before.
    package func filesystemBundles() throws(SettingsError) -> FilesystemBundleStore? {
        guard let directory = text(.bundlesDirectory), !directory.isEmpty else {
            guard bundleStore != .filesystem else {
                throw SettingsError("\(Setting.bundlesDirectory.key): not set; bundles.store filesystem needs it")
            }
            return nil
        }
        guard directory.hasPrefix("/") else {
            throw SettingsError("\(Setting.bundlesDirectory.key): takes an absolute path")
        }
        return FilesystemBundleStore(directory: directory, limits: bundleLimits)
    }

    /// What bounds the work on files.
    var bundleLimits: FilesystemBundleStore.Limits {
        var limits = FilesystemBundleStore.Limits()
        limits.threads = integer(.bundlesThreads)
        limits.backlogMax = integer(.bundlesBacklogMax)
        limits.timeout = duration(.bundlesTimeout)
        return limits
    }

    /// Every store that is configured, as one.
    /// - Parameters:
    ///   - redis: A client of its own for large values.
    ///   - keyspace: The queue's.
    ///   - files: The store in a directory, if there is one.
    ///   - isOpen: Whether new bytes are taken by now.
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
