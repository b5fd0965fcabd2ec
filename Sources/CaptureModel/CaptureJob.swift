/// A capture as a worker gets it from the queue: parsed, but its assertion not yet verified.
///
/// A class that never changes: batches of jobs are handed from step to step. A copy of a struct of that size would
/// count a reference for each of its members.
package final class CaptureJob: Sendable, Equatable {
    /// What the gateway handed over; its `receivedAt` is always set here.
    package let submission: CaptureSubmission
    /// When the gateway had the whole bundle.
    package let receivedAt: Timestamp
    /// When the capture was claimed this time, by the queue's clock.
    package let claimedAt: Timestamp
    /// How often it was claimed, this time included.
    package let attempts: Int
    /// Whether it was redriven, so that later captures of its device may have been settled before it.
    package let isRedriven: Bool

    /// Memberwise.
    package init(
        submission: CaptureSubmission, receivedAt: Timestamp, claimedAt: Timestamp, attempts: Int, isRedriven: Bool
    ) {
        self.submission = submission
        self.receivedAt = receivedAt
        self.claimedAt = claimedAt
        self.attempts = attempts
        self.isRedriven = isRedriven
    }

    /// Whether all members are equal.
    package static func == (one: CaptureJob, other: CaptureJob) -> Bool {
        one.submission == other.submission && one.receivedAt == other.receivedAt && one.claimedAt == other.claimedAt
            && one.attempts == other.attempts && one.isRedriven == other.isRedriven
    }

    /// The capture's id.
    package var id: CaptureID { submission.id }
    /// The device that claims to have signed.
    package var device: DeviceID { submission.device }
}
