/// A setting of a server with which accepted captures could be lost, and what would be right.
public struct DurabilityProblem: Sendable, Equatable, CustomStringConvertible {
    /// The setting's name, with its server's.
    public let setting: String
    /// Its value on the server; `nil` when the server does not tell.
    public let value: String?
    /// What keeps what was accepted.
    public let needed: String
    /// What happens otherwise.
    public let consequence: String
    /// Whether it mends itself, so that there is no reason not to start.
    public let isPassing: Bool

    /// Notes a problem.
    public init(setting: String, value: String?, needed: String, consequence: String, isPassing: Bool = false) {
        self.setting = setting
        self.value = value
        self.needed = needed
        self.consequence = consequence
        self.isPassing = isPassing
    }

    /// One line for the log.
    public var description: String {
        "\(setting) is \(value ?? "not readable") and should be \(needed): otherwise \(consequence)"
    }
}

/// Why a program does not start: settings of a server with which what is answered with 202 could be lost.
public struct DurabilityRefusal: Error, Equatable, CustomStringConvertible {
    /// The level that could not be kept.
    public let level: DurabilityLevel
    /// Everything that is in the way.
    public let problems: [DurabilityProblem]

    /// Refuses where a problem that does not mend itself is in the way of the level; `nil` at `relaxed`.
    public init?(_ problems: [DurabilityProblem], level: DurabilityLevel) {
        let lasting = problems.filter { !$0.isPassing }
        guard level != .relaxed, !lasting.isEmpty else { return nil }
        self.level = level
        self.problems = lasting
    }

    /// One line with the level and every problem.
    public var description: String {
        "queue.durability is \(level.rawValue), which these settings do not keep: "
            + problems.map(\.description).joined(separator: "; ")
    }
}
