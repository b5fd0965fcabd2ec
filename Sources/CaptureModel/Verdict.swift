/// The final decision about a capture.
public enum Verdict: String, Sendable, CaseIterable, Codable {
    /// Every check that decides has passed.
    case verified
    /// A check that decides has failed; the result names it.
    case rejected
}
