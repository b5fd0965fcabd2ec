package import CaptureModel
package import CaptureStore

/// Since when the queue is paused, and by whom.
///
/// Redis keeps the moment with the pause, and the audit has the name beside it. The audit of a record that was restored
/// from a backup may end with another pause: the backup's own, for which the queue was paused.
package struct NotedPause: Sendable {
    /// How many audit entries are searched for a pause: repairs by the doctor may lie in between.
    package static let entriesMax = 100

    /// When it began.
    package let since: Timestamp
    /// Who paused the queue; `nil` where the audit does not say, or was not read.
    package let actor: String?
    /// Whether the audit was read.
    package let isAuditRead: Bool

    /// Finds the pause.
    /// - Parameters:
    ///   - moments: What Redis has kept with it: several where it has reached the partitions one after another.
    ///   - trail: What was done to the queue as the audit has it, latest first; `nil` if the audit was not read.
    package init?(kept moments: Set<Timestamp>, trail: [AuditEntry]?) {
        isAuditRead = trail != nil
        if let entry = QueueActions.lastPause(in: trail ?? []), moments.contains(entry.at) {
            (since, actor) = (entry.at, entry.actor)
        } else if let moment = moments.min() {
            (since, actor) = (moment, nil)
        } else {
            return nil
        }
    }

    /// For a terminal: `since 2026-04-21T08:00:00.000Z, by alice`.
    package var text: String {
        guard isAuditRead else { return "since \(since.rfc3339)" }
        return "since \(since.rfc3339), by \(actor ?? "whom the audit does not say")"
    }
}
