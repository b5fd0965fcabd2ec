/// Where a capture stands.
///
/// `verified` and `rejected` never change. `failed` is left only by a redrive.
package enum CaptureState: String, Sendable, CaseIterable, Codable {
    /// Accepted, waiting in its device's lane.
    case queued
    /// A worker holds its lane.
    case processing
    /// A transient fault put its lane off until later.
    case retrying
    /// Settled: the provenance result says verified.
    case verified
    /// Settled: the provenance result says rejected.
    case rejected
    /// Given up, and kept as a dead letter for the operator; its ``Reason`` says why.
    case failed

    /// The state of a capture with this verdict.
    package init(_ verdict: Verdict) {
        switch verdict {
        case .verified: self = .verified
        case .rejected: self = .rejected
        }
    }

    /// Whether it has its result, so that the state never changes again; a dead letter may be redriven.
    package var isSettled: Bool {
        switch self {
        case .verified, .rejected: true
        case .queued, .processing, .retrying, .failed: false
        }
    }

    /// Whether it is in its device's lane: it waits, is worked, or is put off; neither settled nor given up.
    package var isWaiting: Bool {
        switch self {
        case .queued, .processing, .retrying: true
        case .verified, .rejected, .failed: false
        }
    }
}
