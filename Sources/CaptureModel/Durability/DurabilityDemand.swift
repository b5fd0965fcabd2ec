/// What the servers' settings are held to when a program starts.
package struct DurabilityDemand: Sendable, Equatable {
    /// What a 202 rests on.
    package var level: DurabilityLevel
    /// Where the bytes of new captures go.
    package var bundleStore: BundleStoreName
    /// How many replicas have a capture before it is answered for, at the level `replicated`.
    package var replicas: Int
    /// How many bytes of bundles one gateway may hand to Redis at once, which a replica may be behind by.
    package var uploadBytesInFlightMax: Int
    /// How many bytes of bundles may wait in the queue at the most.
    package var queueBytesMax: Int
    /// How many bytes the assertions and the metadata of a full queue may have: in Redis, wherever the bundles are.
    package var queueFieldBytesMax: Int

    /// Memberwise.
    package init(
        level: DurabilityLevel, bundleStore: BundleStoreName, replicas: Int, uploadBytesInFlightMax: Int,
        queueBytesMax: Int, queueFieldBytesMax: Int
    ) {
        self.level = level
        self.bundleStore = bundleStore
        self.replicas = replicas
        self.uploadBytesInFlightMax = uploadBytesInFlightMax
        self.queueBytesMax = queueBytesMax
        self.queueFieldBytesMax = queueFieldBytesMax
    }
}
