/// What the settling transaction decided.
package struct SettledCapture: Sendable, Equatable {
    /// The capture.
    package let id: CaptureID
    /// The verdict, for good.
    package let verdict: Verdict
    /// Why it was rejected; `nil` for a verified one.
    package let reason: Reason?
    /// Whether an earlier run had settled it, so that this run had no effect.
    package let settledBefore: Bool

    /// Memberwise.
    package init(id: CaptureID, verdict: Verdict, reason: Reason?, settledBefore: Bool) {
        self.id = id
        self.verdict = verdict
        self.reason = reason
        self.settledBefore = settledBefore
    }
}
