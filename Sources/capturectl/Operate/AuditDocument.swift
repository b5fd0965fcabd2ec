import CaptureModel
import CaptureStore

/// What somebody did, as JSON.
struct AuditDocument: Encodable {
    private let at: String
    private let actor: String
    private let action: String

    init(_ entry: AuditEntry) {
        (at, actor, action) = (entry.at.rfc3339, entry.actor, entry.action)
    }
}

extension AuditEntry {
    /// For people, of what goes on: `since 2026-04-21T08:00:00.000Z, by alice`.
    var since: String { "since \(at.rfc3339), by \(actor)" }
}
