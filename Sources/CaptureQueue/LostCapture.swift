package import CaptureModel

/// What the queue knows of a capture.
package enum Presence: Sendable, Equatable {
    /// Nothing.
    case unknown
    /// It waits, is worked or was settled not long ago.
    case known
    /// It is a dead letter.
    case dead
    /// Its partition refuses to say.
    case refused(QueueError)
}

/// A capture that the queue has lost.
package struct LostCapture: Sendable, Equatable {
    /// What the gateway had handed over.
    package let submission: CaptureSubmission
    /// Whether it was a dead letter: its job is then marked as redriven.
    package let isRedriven: Bool

    /// Memberwise.
    package init(submission: CaptureSubmission, isRedriven: Bool) {
        self.submission = submission
        self.isRedriven = isRedriven
    }
}

/// What became of a capture that was to be put back.
package enum RestoreOutcome: Sendable, Equatable {
    /// It is in its lane again.
    case restored
    /// It is in its lane again, but its bytes are gone: it ends as `BUNDLE_MISSING`.
    case lost
    /// The queue knew it.
    case known
    /// The queue does not take it as it is; nothing was done.
    case invalid(String)
}
