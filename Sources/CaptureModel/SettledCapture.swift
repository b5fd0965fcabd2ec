/// What the settling transaction decided.
package struct SettledCapture: Sendable, Equatable {
    /// The capture.
    package let id: CaptureID
    /// What became of it, for good.
    package let decision: Decision
    /// Whether an earlier run had settled it, so that this run had no effect.
    package let wasSettledBefore: Bool

    /// Memberwise.
    package init(id: CaptureID, decision: Decision, wasSettledBefore: Bool) {
        self.id = id
        self.decision = decision
        self.wasSettledBefore = wasSettledBefore
    }

    /// The verdict alone.
    package var verdict: Verdict { decision.verdict }

    /// Why it was rejected; `nil` for a verified one.
    package var reason: Reason? { decision.reason }
}
