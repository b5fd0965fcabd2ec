/// A server's setting with which accepted captures could be lost, or that invites trouble, and the right value.
package struct SettingProblem: Sendable, Equatable, CustomStringConvertible {
    /// How much depends on the setting.
    package enum Gravity: String, Sendable, CaseIterable {
        /// Accepted captures could be lost.
        case loss
        /// Nothing is lost, and it ends by itself.
        case passing
        /// Nothing is lost by it alone.
        case precaution
    }

    /// The setting's name, with its server's.
    package let setting: String
    /// Its value on the server; `nil` when the server does not tell.
    package let value: String?
    /// The value that keeps accepted captures safe.
    package let needed: String
    /// What happens otherwise.
    package let consequence: String
    /// How much depends on the setting: only a possible loss is a reason not to start.
    package let gravity: Gravity

    /// Notes a problem.
    package init(setting: String, value: String?, needed: String, consequence: String, gravity: Gravity = .loss) {
        self.setting = setting
        self.value = value
        self.needed = needed
        self.consequence = consequence
        self.gravity = gravity
    }

    /// Whether it is known by another one: what is needed may be another figure by now.
    package func isSame(as other: SettingProblem) -> Bool {
        (setting, value, consequence) == (other.setting, other.value, other.consequence) && gravity == other.gravity
    }

    /// One line for the log.
    package var description: String {
        "\(setting) is \(value ?? "not readable") and should be \(needed): otherwise \(consequence)"
    }
}
