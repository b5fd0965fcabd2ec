package import CaptureModel

/// An open row, whole.
package struct IntakeEntry: Sendable, Equatable {
    /// The submission that the gateway enqueues.
    package let submission: CaptureSubmission
    /// Its place in the order of acceptance; ``nextPlace`` in a row that is reinstated without one.
    package let place: Int64
    /// When it was recorded, by the ledger's clock.
    package let recordedAt: Timestamp
    /// When it was noted that the capture is among the dead letters.
    package let notedDeadAt: Timestamp?
    /// When it was claimed last.
    package let claimedAt: Timestamp?

    /// Stands for the place after all others; places begin at 1.
    package static let nextPlace: Int64 = 0

    /// Memberwise.
    package init(
        submission: CaptureSubmission, place: Int64, recordedAt: Timestamp, notedDeadAt: Timestamp?,
        claimedAt: Timestamp?
    ) {
        self.submission = submission
        self.place = place
        self.recordedAt = recordedAt
        self.notedDeadAt = notedDeadAt
        self.claimedAt = claimedAt
    }

    /// Whether it was seen among the dead letters.
    package var isDead: Bool { notedDeadAt != nil }
}
