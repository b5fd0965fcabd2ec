import CaptureModel

/// A worker's conclusion about one capture before the record is asked.
enum CaptureConclusion: Sendable {
    /// Examined as a whole; the record decides about the counter.
    case examined(ExaminedCapture)
    /// Cannot be verified now; tried again until the attempts are used up.
    case fault(Reason, String)
    /// Can never be verified: kept for the operator.
    case dead(Reason, String)
}
