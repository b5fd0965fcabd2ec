/// Where a capture stands.
///
/// `verified` and `rejected` never change. `failed` is left only by a redrive.
public enum CaptureState: String, Sendable, CaseIterable, Codable {
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

    /// The terminal state of a verdict.
    public init(_ verdict: Verdict) {
        switch verdict {
        case .verified: self = .verified
        case .rejected: self = .rejected
        }
    }

    /// Whether the state never changes again; `failed` is not final, as an operator may redrive the dead letter.
    public var isFinal: Bool {
        switch self {
        case .verified, .rejected: true
        case .queued, .processing, .retrying, .failed: false
        }
    }

    /// Whether the worker is done with it.
    public var isTerminal: Bool {
        switch self {
        case .queued, .processing, .retrying: false
        case .verified, .rejected, .failed: true
        }
    }
}
