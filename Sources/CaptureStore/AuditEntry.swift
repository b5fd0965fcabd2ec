public import CaptureModel

/// One line of the record of who did what.
public struct AuditEntry: Sendable, Equatable {
    /// When it was done.
    public let at: Timestamp
    /// Who did it: an operator's name, or `gateway`.
    public let actor: String
    /// What was done, such as `device.register`, `device.revoke`, `capture.redrive`, `capture.discard`.
    public let action: String
    /// What it was done to: an id as text.
    public let subject: String
    /// More about it, without secrets or personal data.
    public let details: [String: String]

    /// Puts an entry together.
    public init(at: Timestamp, actor: String, action: String, subject: String, details: [String: String] = [:]) {
        self.at = at
        self.actor = actor
        self.action = action
        self.subject = subject
        self.details = details
    }
}
