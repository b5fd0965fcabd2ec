/// What the settling transaction decided.
public struct SettledCapture: Sendable, Equatable {
    /// The capture.
    public let id: CaptureID
    /// The verdict, for good.
    public let verdict: Verdict
    /// Why it was rejected; `nil` for a verified one.
    public let reason: Reason?
    /// Whether an earlier run had settled it, so that this run had no effect.
    public let settledBefore: Bool

    /// Memberwise.
    public init(id: CaptureID, verdict: Verdict, reason: Reason?, settledBefore: Bool) {
        self.id = id
        self.verdict = verdict
        self.reason = reason
        self.settledBefore = settledBefore
    }
}
