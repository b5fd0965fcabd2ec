import CaptureModel
import CaptureOperations
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

extension AuditTrail {
    /// Its entries as JSON.
    var documents: [AuditDocument] { entries.map { AuditDocument($0) } }

    /// Its entries for people, a line each, and that there are more.
    var lines: [String] {
        entries.map { "\($0.at.rfc3339)  \($0.action)  by \($0.actor)" }
            + (isCut ? ["earlier ones are in the table audit"] : [])
    }
}

extension AuditEntry {
    /// For people, of what goes on: `since 2026-04-21T08:00:00.000Z, by alice`.
    var since: String { "since \(at.rfc3339), by \(actor)" }
}
