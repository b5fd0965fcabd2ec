/// Something that a rollout asks of a device or its app; also the order in which rulings name them.
package enum RolloutRequirement: String, Sendable, CaseIterable, Codable {
    /// The lowest version of the system, as the latest attestation names it.
    case osVersion = "os_version"
    /// The lowest bundle version, as iOS 27 and later sign it.
    case bundleVersion = "bundle_version"
    /// The validation categories that are allowed, as iOS 27 and later sign them.
    case validationCategory = "validation_category"
    /// A bundle version that is not lower than every attested one.
    case bundleVersionAttested = "bundle_version_attested"
    /// A validation category that is not lower than every attested one.
    case validationCategoryAttested = "validation_category_attested"

    /// The reason of what is refused for it.
    package var reason: Reason {
        switch self {
        case .osVersion: .osVersionNotAllowed
        case .bundleVersion, .validationCategory, .bundleVersionAttested, .validationCategoryAttested:
            .extensionsNotAllowed
        }
    }
}
