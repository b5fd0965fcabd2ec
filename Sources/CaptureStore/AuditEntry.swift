package import CaptureModel

/// One line of the record of who did what.
package struct AuditEntry: Sendable, Equatable {
    /// When it was done.
    package let at: Timestamp
    /// Who did it: an operator's name, or `gateway`.
    package let actor: String
    /// What was done: the name of an ``AuditAction``, what was missed of one, or another release's.
    package let action: String
    /// What it was done to: an id as text.
    package let subject: String
    /// More about it, without secrets or personal data.
    package let details: [String: String]

    /// An entry as it is read, or of what was missed.
    package init(at: Timestamp, actor: String, action: String, subject: String, details: [String: String] = [:]) {
        self.at = at
        self.actor = actor
        self.action = action
        self.subject = subject
        self.details = details
    }

    /// An entry of something that is done now.
    package init(at: Timestamp, actor: String, action: AuditAction, subject: String, details: [String: String] = [:]) {
        self.init(at: at, actor: actor, action: action.rawValue, subject: subject, details: details)
    }
}
