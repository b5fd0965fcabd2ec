package import CaptureModel

/// A capture as claimed: its fields were written by whoever enqueued it, and may be wrong.
package enum ClaimedJob: Sendable, Equatable {
    /// Every field is in order.
    case valid(CaptureJob)
    /// A field is wrong, and `fault` names it: the capture becomes a dead letter, so nothing is lost.
    case malformed(CaptureID, fault: String)

    /// The capture's id.
    package var id: CaptureID {
        switch self {
        case .valid(let job): job.id
        case .malformed(let id, _): id
        }
    }

    /// The submission, unless a field is wrong.
    package var submission: CaptureSubmission? {
        if case .valid(let job) = self { job.submission } else { nil }
    }
}
