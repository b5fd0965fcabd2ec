package import CaptureModel

/// What the queue knows of a capture.
package enum Presence: Sendable, Equatable {
    /// Nothing.
    case unknown
    /// It waits or is worked.
    case known
    /// It was settled not long ago: by the queue's word alone, which ledger or record have to confirm.
    case settled
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
    /// Whether the queue calls it settled although it has no result: the queue forgets that first.
    package let isCalledSettled: Bool
    /// A capture to which its bundle may lead, and which is no reason to leave it out: it is of other bytes, or nowhere.
    package let beside: CaptureID?

    /// Memberwise; by default not called settled, and beside none.
    package init(
        submission: CaptureSubmission, isRedriven: Bool, isCalledSettled: Bool = false, beside: CaptureID? = nil
    ) {
        self.submission = submission
        self.isRedriven = isRedriven
        self.isCalledSettled = isCalledSettled
        self.beside = beside
    }

    /// The same, put back although its bundle leads to another capture.
    package func placed(beside other: CaptureID) -> LostCapture {
        LostCapture(
            submission: submission, isRedriven: isRedriven, isCalledSettled: isCalledSettled, beside: other)
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
    /// Its bundle has that capture, which waits or is a dead letter, received at that time; nothing was done.
    case queued(as: CaptureID, receivedAt: Timestamp)
    /// Its bundle leads to that capture, which is not in the queue; nothing was done, before the record is asked.
    case accepted(as: CaptureID)
    /// A capture before it waits for the record's word; nothing was done.
    case behind
}
