/// Why a program does not start: settings of a server with which what is answered with 202 could be lost.
package struct DurabilityRefusal: Error, Equatable, CustomStringConvertible {
    /// The level that could not be kept.
    package let level: DurabilityLevel
    /// Everything that is in the way.
    package let problems: [SettingProblem]

    /// Refuses where something could be lost, which the level does not allow; `nil` at `relaxed`.
    package init?(_ problems: [SettingProblem], level: DurabilityLevel) {
        let losses = problems.filter { $0.gravity == .loss }
        guard level != .relaxed, !losses.isEmpty else { return nil }
        self.level = level
        self.problems = losses
    }

    /// One line with the level and every problem.
    package var description: String {
        "queue.durability is \(level.rawValue), which these settings do not keep: "
            + problems.map(\.description).joined(separator: "; ")
    }
}
