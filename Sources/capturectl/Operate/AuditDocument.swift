import CaptureModel
import CaptureOperations
import CaptureStore

/// What somebody did, as JSON.
struct AuditDocument: Encodable {
    private let at: String
    private let actor: String
    private let action: String
    /// More about it: a reason that was given, a moment that it was done for.
    private let details: [String: String]

    init(_ entry: AuditEntry) {
        (at, actor, action, details) = (entry.at.rfc3339, entry.actor, entry.action, entry.details)
    }
}

extension AuditTrail {
    /// Its entries as JSON.
    var documents: [AuditDocument] { entries.map { AuditDocument($0) } }

    /// Its entries for people, a line each, and that there are more.
    var lines: [String] {
        entries.map { entry in
            let details = entry.details.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return (["\(entry.at.rfc3339)  \(entry.action)  by \(entry.actor)"] + details).joined(separator: "  ")
        }
            + (isCut ? ["earlier ones are in the table audit"] : [])
    }
}

extension AuditEntry {
    /// For people, of what goes on: `since 2026-04-21T08:00:00.000Z, by alice`.
    var since: String { "since \(at.rfc3339), by \(actor)" }
}
