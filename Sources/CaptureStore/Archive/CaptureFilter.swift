public import CaptureModel

/// Which captures a list has.
public struct CaptureFilter: Sendable, Equatable {
    /// Verdicts of those with a result; empty: none with a result.
    public var verdicts: Set<Verdict> = Set(Verdict.allCases)
    /// Whether captures without a result are meant, too.
    public var includesOpen = true
    /// Only rejected for one of these reasons; empty: for any or none.
    public var reasons: [Reason] = []
    /// Only with this confidence.
    public var confidence: Confidence?
    /// Only of this device.
    public var device: DeviceID?
    /// Only received at this moment or later.
    public var from: Timestamp?
    /// Only received before this moment.
    public var before: Timestamp?

    /// Starts with all captures.
    public init() {}

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
