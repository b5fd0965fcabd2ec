import CaptureModel
import CaptureOperations
import CaptureStore

/// An audit entry as JSON.
struct AuditDocument: Encodable {
    private let at: Timestamp
    private let actor: String
    private let action: String
    /// Details such as the reason given, or the moment from which the action applies.
    private let details: [String: String]

    init(_ entry: AuditEntry) {
        (at, actor, action, details) = (entry.at, entry.actor, entry.action, entry.details)
    }
}

extension AuditTrail {
    /// What the subject's id belongs to, and where that is shown, if an entry tells that it is no capture's.
    var otherOwner: String? {
        for entry in entries {
            // The kind of thing comes first in an action's name.
            switch entry.action.prefix(while: { $0 != "." }) {
            case "device": return "a device: capturectl devices show"
            case "invitation": return "an invitation: capturectl invitations list"
            case "enrolment": return "an enrolled user"
            default: continue
            }
        }
        return nil
    }

    /// Its entries as JSON.
    var documents: [AuditDocument] { entries.map { AuditDocument($0) } }

    /// Its entries for people, one a line, and a note if there are more.
    var lines: [String] {
        entries.map { entry in
            let details = entry.details.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return (["\(entry.at.rfc3339)  \(entry.action)  by \(entry.actor)"] + details).joined(separator: "  ")
        }
            + (isCut ? ["earlier ones are in the table audit"] : [])
    }
}
