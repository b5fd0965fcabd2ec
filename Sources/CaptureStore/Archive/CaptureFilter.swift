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

    /// The reasons that a filter finds: those for which a result is rejected.
    ///
    /// The record keeps the reason of a newer release as that release wrote it.
    package static let reasonsFound = Reason.ofRejections.filter { $0 != .reasonUnknown }

    /// What keeps every capture from passing.
    package enum Contradiction: Sendable {
        /// The span of times ends before it begins.
        case times
        /// No capture is rejected for the reasons, or none of those that the rest of the filter means.
        case reason
        /// No capture that passes the rest of the filter can have this confidence.
        case confidence
    }

    /// Why no capture can pass; `nil` if one can.
    ///
    /// Only rejected captures have a reason, and only verified ones a confidence other than `none`.
    package var contradiction: Contradiction? {
        if let from, let before, from >= before { return .times }
        if !reasons.isEmpty, !reasons.contains(where: { Self.reasonsFound.contains($0) }) { return .reason }
        guard confidences.isEmpty, !meansOpen else { return nil }
        return reasons.isEmpty ? .confidence : .reason
    }
}
