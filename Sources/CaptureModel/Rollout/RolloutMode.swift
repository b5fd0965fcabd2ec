/// How far the rollout of an app's requirements has come.
public enum RolloutMode: String, Sendable, CaseIterable, Codable {
    /// Nothing is judged.
    case off
    /// Everything is judged and nothing refused: what would be refused is marked.
    case monitor
    /// Devices within the percentage that do not meet the requirements are refused.
    case enforce
}
