package import CaptureModel

/// Which captures a list has.
package struct CaptureFilter: Sendable, Equatable {
    /// Verdicts of those with a result; empty: none with a result.
    package var verdicts: Set<Verdict> = Set(Verdict.allCases)
    /// Whether captures without a result are meant, too.
    package var includesOpen = true
    /// Only rejected for one of these reasons; empty: for any or none.
    package var reasons: [Reason] = []
    /// Only with this confidence.
    package var confidence: Confidence?
    /// Only of this device.
    package var device: DeviceID?
    /// Only received at this moment or later.
    package var from: Timestamp?
    /// Only received before this moment.
    package var before: Timestamp?

    /// Starts with all captures.
    package init() {}

    /// The confidences of the results that are meant: rejected ones are those with none.
    package var confidences: [Confidence] {
        Confidence.allCases.filter { level in
            verdicts.contains(level == .none ? .rejected : .verified) && (confidence.map { $0 == level } ?? true)
                && (reasons.isEmpty || level == .none)
        }
    }

    /// Whether captures without a result can be among them.
    package var meansOpen: Bool { includesOpen && reasons.isEmpty && confidence == nil }

    /// Whether nothing passes it, whatever there is: a reason is a rejected one's, a confidence a verified one's.
    package var meansNothing: Bool { confidences.isEmpty && !meansOpen }
}
