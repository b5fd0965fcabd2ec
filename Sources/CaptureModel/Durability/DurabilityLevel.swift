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
