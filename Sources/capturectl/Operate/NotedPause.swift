import CaptureModel
import CaptureStore

/// Since when the queue is paused, and by whom.
///
/// Redis keeps the moment with the pause, and the audit has the name beside it. The audit of a record that was restored
/// from a backup may end with another pause: the backup's own, for which the queue was paused.
struct NotedPause: Sendable {
    /// When it began.
    let since: Timestamp
    /// Who paused the queue; `nil` where the audit does not say.
    let actor: String?

    /// Finds the pause.
    /// - Parameters:
    ///   - moments: What Redis has kept with it: several where it has reached the partitions one after another.
    ///   - entry: The last pause in the audit.
    init?(kept moments: Set<Timestamp>, noted entry: AuditEntry?) {
        if let entry, moments.contains(entry.at) {
            (since, actor) = (entry.at, entry.actor)
        } else if let moment = moments.min() {
            (since, actor) = (moment, nil)
        } else {
            return nil
        }
    }

    /// For people: `since 2026-04-21T08:00:00.000Z, by alice`.
    var text: String { "since \(since.rfc3339), by \(actor ?? "whom the audit does not say")" }
}
