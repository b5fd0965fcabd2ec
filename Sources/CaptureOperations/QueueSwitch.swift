package import CaptureStore

/// Pause or resume: an operator's command to the queue as a whole.
package enum QueueSwitch: String, CaseIterable, Sendable {
    /// Workers stop claiming.
    case pause
    /// Workers claim again.
    case resume

    /// Whether the queue is paused after it.
    package var isPause: Bool { self == .pause }

    /// Its action in the audit.
    package var audit: AuditAction { self == .pause ? .queuePause : .queueResume }

    /// The warning when the audit may list it as done although it was not.
    package var auditDoubt: String {
        "the audit may list the queue as \(self == .pause ? "paused" : "resumed"), which it was not"
    }
}
