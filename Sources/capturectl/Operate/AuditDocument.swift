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
