/// What a capture answered with 202 is guaranteed to survive: the setting `queue.durability`.
///
/// Programs check the servers' settings when they start and refuse those with which the level could not be kept.
package enum DurabilityLevel: String, Sendable, CaseIterable {
    /// No guarantee beyond the servers' settings; what could be lost is logged at the start.
    case relaxed
    /// Redis has written the capture to its disk: it survives a power cut of Redis's machine, not the loss of its disk.
    case fsync
    /// As `fsync`, and the configured number of replicas of Redis have it too: it survives the loss of the primary.
    case replicated
    /// PostgreSQL has an intake row: the capture survives the loss of Redis.
    ///
    /// Its bytes do so with the store `filesystem`.
    case ledger
}
