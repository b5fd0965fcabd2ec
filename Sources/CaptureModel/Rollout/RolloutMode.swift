/// How far the rollout of an app's requirements has advanced.
package enum RolloutMode: String, Sendable, CaseIterable, Codable {
    /// Nothing is judged.
    case off
    /// Everything is judged and nothing is refused: a capture that `enforce` would refuse is marked.
    case monitor
    /// Devices that the percentage covers and that do not meet the requirements are refused.
    case enforce
}
