/// One fact about a device that has changed.
public struct Drift: Sendable, Equatable {
    /// Which fact.
    public enum Fact: String, Sendable, CaseIterable {
        /// The hardware model: a key does not move to other hardware.
        case model
        /// The system's version.
        case osVersion = "os_version"
        /// The app's version.
        case bundleVersion = "bundle_version"
        /// The app's validation category.
        case validationCategory = "validation_category"
    }

    /// Which fact.
    public let fact: Fact
    /// What it was.
    public let before: String?
    /// What it is.
    public let after: String?

    /// Memberwise.
    public init(fact: Fact, before: String?, after: String?) {
        self.fact = fact
        self.before = before
        self.after = after
    }
}
