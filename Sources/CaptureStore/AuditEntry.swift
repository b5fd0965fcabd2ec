package import CaptureModel

/// One line of the record of who did what.
package struct AuditEntry: Sendable, Equatable {
    /// When it was done.
    package let at: Timestamp
    /// Who did it: an operator's name, or `gateway`.
    package let actor: String
    /// The name of an ``AuditAction``, or of its ``AuditAction/missed`` entry, or of another release's action.
    package let action: String
    /// The subject of the action: an id as text.
    package let subject: String
    /// More about it, without secrets or personal data.
    package let details: [String: String]

    /// Makes an entry as it is read, or one of an action that did not happen.
    package init(at: Timestamp, actor: String, action: String, subject: String, details: [String: String] = [:]) {
        self.at = at
        self.actor = actor
        self.action = action
        self.subject = subject
        self.details = details
    }

    /// Makes an entry of an action.
    package init(at: Timestamp, actor: String, action: AuditAction, subject: String, details: [String: String] = [:]) {
        self.init(at: at, actor: actor, action: action.rawValue, subject: subject, details: details)
    }
}
