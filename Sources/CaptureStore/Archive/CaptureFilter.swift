package import CaptureModel

/// The conditions for captures in a list.
package struct CaptureFilter: Sendable, Equatable {
    /// The verdicts of captures with a result; empty for none of them.
    package var verdicts: Set<Verdict> = Set(Verdict.allCases)
    /// Whether captures without a result are included.
    package var includesOpen = true
    /// Only captures rejected for one of these reasons; empty for any reason or none.
    package var reasons: [Reason] = []
    /// Only captures with this confidence.
    package var confidence: Confidence?
    /// Only captures of this device.
    package var device: DeviceID?
    /// Only captures received at this moment or later.
    package var from: Timestamp?
    /// Only captures received before this moment.
    package var before: Timestamp?

    /// Starts with all captures.
    package init() {}

    /// The confidences of results that pass; those of rejected captures have confidence `none`.
    package var confidences: [Confidence] {
        Confidence.allCases.filter { level in
            verdicts.contains(level == .none ? .rejected : .verified) && (confidence.map { $0 == level } ?? true)
                && (reasons.isEmpty || level == .none)
        }
    }

    /// Whether captures without a result can pass.
    package var meansOpen: Bool { includesOpen && reasons.isEmpty && confidence == nil }

    /// Whether no capture can pass: only rejected captures have a reason, and only verified ones a confidence.
    package var meansNothing: Bool { confidences.isEmpty && !meansOpen }
}
