/// What a worker found out about a capture, before the settling transaction has looked at the counter.
///
/// A class that never changes, for the same reason as ``CaptureJob``.
public final class VerifiedCapture: Sendable {
    /// The job that was worked.
    public let job: CaptureJob
    /// The device, when it is registered.
    public let device: Device?
    /// The clientDataHash that the assertion should sign, computed from the received bytes.
    public let clientDataHash: SHA256Digest
    /// The authenticated counter; `nil` when the signature was not good, so that no counter is advanced.
    public let counter: UInt32?
    /// Every check but the counter's, in the order of ``Check/Name``.
    public let checks: [Check]
    /// The check that decided against the capture, if one did.
    public let rejection: Reason?
    /// The confidence, provided that the counter is good too.
    public let confidence: Confidence
    /// When the app says that the photo was taken.
    public let capturedAt: Timestamp?
    /// When the verification was done.
    public let verifiedAt: Timestamp
    /// What the app's rollout says; `nil` where it is off, and when the signature was not good.
    public let rollout: RolloutRuling?
    /// What the check `risk` judged; `nil` where it is not configured, or there was no metric to judge.
    public let risk: JudgedRisk?

    /// Memberwise.
    public init(
        job: CaptureJob, device: Device?, clientDataHash: SHA256Digest, counter: UInt32?, checks: [Check],
        rejection: Reason?, confidence: Confidence, capturedAt: Timestamp?, verifiedAt: Timestamp,
        rollout: RolloutRuling? = nil, risk: JudgedRisk? = nil
    ) {
        self.job = job
        self.device = device
        self.clientDataHash = clientDataHash
        self.counter = counter
        self.checks = checks
        self.rejection = rejection
        self.confidence = confidence
        self.capturedAt = capturedAt
        self.verifiedAt = verifiedAt
        self.rollout = rollout
        self.risk = risk
    }

    /// The same findings of another job; here a member that is forgotten does not compile.
    private init(_ other: VerifiedCapture, of job: CaptureJob) {
        self.job = job
        device = other.device
        clientDataHash = other.clientDataHash
        counter = other.counter
        checks = other.checks
        rejection = other.rejection
        confidence = other.confidence
        capturedAt = other.capturedAt
        verifiedAt = other.verifiedAt
        rollout = other.rollout
        risk = other.risk
    }

    /// The same findings of a job that was redriven.
    public var asRedriven: VerifiedCapture {
        let job = CaptureJob(
            submission: job.submission, receivedAt: job.receivedAt, claimedAt: job.claimedAt, attempts: job.attempts,
            redriven: true)
        return VerifiedCapture(self, of: job)
    }
}

/// What the settling transaction decided.
public struct SettledCapture: Sendable, Equatable {
    /// The capture.
    public let id: CaptureID
    /// The verdict, for good.
    public let verdict: Verdict
    /// Why it was rejected.
    public let reason: Reason?
    /// Whether an earlier run had settled it, so that this run had no effect.
    public let settledBefore: Bool

    /// Memberwise.
    public init(id: CaptureID, verdict: Verdict, reason: Reason?, settledBefore: Bool) {
        self.id = id
        self.verdict = verdict
        self.reason = reason
        self.settledBefore = settledBefore
    }
}
