/// What a worker found out about a capture, before the settling transaction has looked at the counter.
///
/// A class that never changes, for the same reason as ``CaptureJob``.
package final class ExaminedCapture: Sendable {
    /// What the findings come to.
    package enum Outcome: Sendable, Equatable {
        /// No check decided against the capture: it is accepted with this confidence if the counter, which the device's
        /// key has signed, is good too.
        case acceptable(device: Device, counter: UInt32, confidence: Confidence)
        /// A check decided against the capture.
        ///
        /// There is no device if none is registered, and no counter if the signature was not good. The counter is not
        /// advanced.
        case rejected(Reason, device: Device?, counter: UInt32?)

        /// Why the capture is rejected; `nil` for an acceptable one.
        package var rejection: Reason? {
            switch self {
            case .acceptable: nil
            case .rejected(let reason, _, _): reason
            }
        }

        /// The confidence that the capture reaches at most: `none` for a rejected one.
        package var confidence: Confidence {
            switch self {
            case .acceptable(_, _, let confidence): confidence
            case .rejected: .none
            }
        }
    }

    /// The job that was worked.
    package let job: CaptureJob
    /// The clientDataHash that the assertion should sign, computed from the received bytes.
    package let clientDataHash: SHA256Digest
    /// How many bytes of the photo were hashed: what the job says was in Redis meanwhile.
    package let photoBytes: Int
    /// How many bytes of the depth map were hashed, as it was uploaded.
    package let depthBytes: Int
    /// Every check but the counter's, in the order of ``Check/Name``.
    package let checks: [Check]
    /// What the checks come to.
    package let outcome: Outcome
    /// When the app says that the photo was taken; `nil` if the metadata do not tell it.
    package let capturedAt: Timestamp?
    /// When the capture was examined.
    package let verifiedAt: Timestamp
    /// What the app's rollout says; `nil` where it is off, and when the signature was not good.
    package let rollout: RolloutRuling?
    /// What the check `risk` judged; `nil` where it is not configured, or there was no metric to judge.
    package let risk: JudgedRisk?

    /// Memberwise, by default with the job's numbers of bytes.
    ///
    /// An acceptable capture needs a confidence other than `none`.
    package init(
        job: CaptureJob, clientDataHash: SHA256Digest, photoBytes: Int? = nil, depthBytes: Int? = nil, checks: [Check],
        outcome: Outcome, capturedAt: Timestamp?, verifiedAt: Timestamp, rollout: RolloutRuling? = nil,
        risk: JudgedRisk? = nil
    ) {
        precondition(
            outcome.rejection != nil || outcome.confidence != .none, "an acceptable capture without a confidence")
        self.job = job
        self.clientDataHash = clientDataHash
        self.photoBytes = photoBytes ?? job.submission.photoBytes
        self.depthBytes = depthBytes ?? job.submission.depthBytes
        self.checks = checks
        self.outcome = outcome
        self.capturedAt = capturedAt
        self.verifiedAt = verifiedAt
        self.rollout = rollout
        self.risk = risk
    }

    /// The same findings of another job; here a member that is forgotten does not compile.
    private init(_ other: ExaminedCapture, of job: CaptureJob) {
        self.job = job
        clientDataHash = other.clientDataHash
        photoBytes = other.photoBytes
        depthBytes = other.depthBytes
        checks = other.checks
        outcome = other.outcome
        capturedAt = other.capturedAt
        verifiedAt = other.verifiedAt
        rollout = other.rollout
        risk = other.risk
    }

    /// The device, when it is registered.
    package var device: Device? {
        switch outcome {
        case .acceptable(let device, _, _): device
        case .rejected(_, let device, _): device
        }
    }

    /// Whether the device is registered.
    package var isOfKnownDevice: Bool {
        switch outcome {
        case .acceptable, .rejected(_, .some, _): true
        case .rejected(_, nil, _): false
        }
    }

    /// The counter that the device's key has signed; `nil` when the signature was not good.
    package var counter: UInt32? {
        switch outcome {
        case .acceptable(_, let counter, _): counter
        case .rejected(_, _, let counter): counter
        }
    }

    /// The same findings of a job that was redriven.
    package var asRedriven: ExaminedCapture {
        let job = CaptureJob(
            submission: job.submission, receivedAt: job.receivedAt, claimedAt: job.claimedAt, attempts: job.attempts,
            isRedriven: true)
        return ExaminedCapture(self, of: job)
    }
}
