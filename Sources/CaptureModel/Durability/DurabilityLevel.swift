/// What a 202 rests on: the setting `queue.durability`.
///
/// Programs look at the servers' settings when they start and refuse those with which the level could not be kept.
public enum DurabilityLevel: String, Sendable, CaseIterable {
    /// Whatever the servers' settings give; what could be lost is logged at the start.
    case relaxed
    /// Redis has written the capture to its disk: it survives a power cut of Redis's machine, not the loss of its disk.
    case fsync
    /// As `fsync`, and so many replicas of Redis have it too: it survives the loss of the primary.
    case replicated
    /// PostgreSQL has an intake row: it survives the loss of all that Redis holds, as do its bytes with the store
    /// `filesystem`.
    case ledger
}

/// What the servers' settings are held to when a program starts.
public struct DurabilityDemand: Sendable, Equatable {
    /// What a 202 rests on.
    public var level: DurabilityLevel
    /// Where the bytes of new captures go.
    public var bundleStore: BundleStoreName
    /// How many replicas have a capture before it is answered for, at the level `replicated`.
    public var replicas: Int
    /// How many bytes of bundles one gateway may hand to Redis at once, which a replica may be behind by.
    public var bundleBytesMax: Int
    /// How many bytes of bundles may wait in the queue at the most.
    public var queueBytesMax: Int
    /// How many bytes the assertions and the metadata of a full queue may have: in Redis, wherever the bundles are.
    public var queueFieldBytesMax: Int

    /// Memberwise.
    public init(
        level: DurabilityLevel, bundleStore: BundleStoreName = .redis, replicas: Int = 1,
        bundleBytesMax: Int = 256 << 20, queueBytesMax: Int = 4 << 30,
        queueFieldBytesMax: Int = 100_000 * (24 << 10)
    ) {
        self.level = level
        self.bundleStore = bundleStore
        self.replicas = replicas
        self.bundleBytesMax = bundleBytesMax
        self.queueBytesMax = queueBytesMax
        self.queueFieldBytesMax = queueFieldBytesMax
    }
}
