import CaptureModel

/// A capture's status as JSON.
///
/// Members without a value are `null`; timings come with the result; no place is ever among them.
struct StatusDocument: Encodable, Sendable, Equatable {
    /// Where a capture's time went, in milliseconds: from received to claimed, to verified, to settled.
    struct Timings: Encodable, Sendable, Equatable {
        var queue: Double
        var verify: Double
        var settle: Double

        init(_ result: ProvenanceResult) {
            queue = Self.milliseconds(from: result.receivedAt, to: result.claimedAt)
            verify = Self.milliseconds(from: result.claimedAt, to: result.verifiedAt)
            settle = Self.milliseconds(from: result.verifiedAt, to: result.settledAt)
        }

        /// Never negative: the moments are of several clocks.
        ///
        /// To the microsecond: the bare quotient of 295,149 ms has digits behind it that no clock told.
        private static func milliseconds(from start: Timestamp, to end: Timestamp) -> Double {
            (max(.zero, end.since(start)) / .microseconds(1)).rounded() / 1000
        }

        enum CodingKeys: String, CodingKey {
            case queue = "queue_ms"
            case verify = "verify_ms"
            case settle = "settle_ms"
        }
    }

    var captureID: CaptureID
    var device: DeviceID
    var state: CaptureState
    var attempts: Int
    @OrNull var reason: Reason?
    @OrNull var explanation: String?
    @OrNull var fault: String? = nil
    @OrNull var verdict: Verdict? = nil
    @OrNull var confidence: Confidence? = nil
    var receivedAt: Timestamp
    @OrNull var claimedAt: Timestamp?
    @OrNull var settledAt: Timestamp?
    @OrNull var nextAttemptAt: Timestamp? = nil
    var timings: Timings?
    var isRedriven: Bool
    /// Why its app's rollout would have refused it, had that been enforced.
    @OrNull var wouldReject: Reason? = nil
    /// Since when the device's key may have been in other hands, if the capture is from then or later.
    @OrNull var compromisedSince: Timestamp? = nil

    /// What the queue knows of a capture without a result.
    ///
    /// The fault is a server's own message and only for operators: a device may be anybody's.
    init(_ job: JobStatus, for reader: Reader) {
        captureID = job.id
        device = job.device
        state = job.state
        attempts = job.attempts
        reason = job.reason
        explanation = job.reason?.explanation(redriven: job.isRedriven)
        fault = reader.isDevice ? nil : job.fault
        receivedAt = job.receivedAt
        claimedAt = job.claimedAt
        settledAt = job.settledAt
        nextAttemptAt = job.nextAttemptAt
        isRedriven = job.isRedriven
    }

    /// What the record knows of a capture with a result.
    ///
    /// Nothing comes from the queue, so that the answer stays the same when the queue forgets the capture.
    init(_ result: ProvenanceResult) {
        captureID = result.id
        device = result.device
        state = CaptureState(result.verdict)
        attempts = result.attempts
        reason = result.reason
        explanation = result.reason?.explanation(redriven: result.isRedriven)
        verdict = result.verdict
        confidence = result.confidence
        receivedAt = result.receivedAt
        claimedAt = result.claimedAt
        settledAt = result.settledAt
        timings = Timings(result)
        isRedriven = result.isRedriven
        wouldReject = result.rollout?.wouldReject
        compromisedSince = result.compromisedSince
    }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case state = "status"
        case device = "device_id"
        case isRedriven = "redriven"
        case attempts, reason, explanation, fault, verdict, confidence, timings
        case receivedAt = "received_at"
        case claimedAt = "claimed_at"
        case settledAt = "settled_at"
        case nextAttemptAt = "next_attempt_at"
        case wouldReject = "would_reject"
        case compromisedSince = "compromised_since"
    }

    /// Changes whenever the answer's `data` does.
    var entityTag: EntityTag {
        get throws(APIError) { try EntityTag(of: self) }
    }
}
