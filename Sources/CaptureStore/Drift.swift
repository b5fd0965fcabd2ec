/// One fact about a device that has changed.
package struct Drift: Sendable, Equatable {
    /// Which fact.
    package enum Fact: String, Sendable, CaseIterable {
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
    package let fact: Fact
    /// The earlier value.
    package let before: String?
    /// The new value.
    package let after: String?

    /// Memberwise.
    package init(fact: Fact, before: String?, after: String?) {
        self.fact = fact
        self.before = before
        self.after = after
    }
}
