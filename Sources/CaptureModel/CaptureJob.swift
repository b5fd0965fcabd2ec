/// A capture as a worker gets it from the queue: parsed, but its assertion not yet verified.
///
/// A class that never changes: batches of jobs are handed from step to step. A copy of a struct of that size would
/// count a reference for each of its members.
public final class CaptureJob: Sendable, Equatable {
    /// What the gateway handed over; its `receivedAt` is always set here.
    public let submission: CaptureSubmission
    /// When the gateway had the whole bundle.
    public let receivedAt: Timestamp
    /// When the capture was claimed this time, by the queue's clock.
    public let claimedAt: Timestamp
    /// How often it was claimed, this time included.
    public let attempts: Int
    /// Whether it was redriven, so that later captures of its device may have been settled before it.
    public let isRedriven: Bool

    /// Memberwise.
    public init(
        submission: CaptureSubmission, receivedAt: Timestamp, claimedAt: Timestamp, attempts: Int, isRedriven: Bool
    ) {
        self.submission = submission
        self.receivedAt = receivedAt
        self.claimedAt = claimedAt
        self.attempts = attempts
        self.isRedriven = isRedriven
    }

    /// Whether all members are equal.
    public static func == (one: CaptureJob, other: CaptureJob) -> Bool {
        one.submission == other.submission && one.receivedAt == other.receivedAt && one.claimedAt == other.claimedAt
            && one.attempts == other.attempts && one.isRedriven == other.isRedriven
    }

    /// The capture's id.
    public var id: CaptureID { submission.id }
    /// The device that claims to have signed.
    public var device: DeviceID { submission.device }
}
