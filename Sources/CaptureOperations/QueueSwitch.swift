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

/// Why the queue was neither paused nor resumed, and whether the audit is right then.
package struct QueueSwitchFault: Error {
    /// The fault of the queue or the record.
    package let fault: ServerFault
    /// Whether the audit may list what was not done, because the correcting entry could not be written.
    package let isAuditAhead: Bool

    /// Notes a fault.
    init(_ fault: ServerFault, isAuditAhead: Bool = false) {
        self.fault = fault
        self.isAuditAhead = isAuditAhead
    }
}
