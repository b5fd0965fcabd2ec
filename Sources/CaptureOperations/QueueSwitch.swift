package import CaptureStore

/// What operators tell the queue as a whole.
package enum QueueSwitch: String, CaseIterable, Sendable {
    /// All workers claim nothing more.
    case pause
    /// They go on.
    case resume

    /// Whether the queue is paused after it.
    package var isPause: Bool { self == .pause }

    /// What the audit notes of it.
    package var audit: AuditAction { self == .pause ? .queuePause : .queueResume }

    /// What is told where the audit may have it as done although it was not.
    package var auditDoubt: String {
        "the audit may list the queue as \(self == .pause ? "paused" : "resumed"), which it was not"
    }
}
