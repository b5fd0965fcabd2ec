/// What the attestations of a device's key say about its app; iOS 27 and later sign these values.
///
/// Each value is listed once. Their order is not kept: a capture signed before an attestation may be uploaded after it,
/// so the order of arrival proves nothing.
package struct AttestedApp: Sendable, Equatable {
    /// The texts of CFBundleVersion as they were attested.
    package let bundleVersions: [String]
    /// The validation categories, as Apple numbers them.
    package let validationCategories: [Int]

    /// Takes the values of all attestations together; none by default.
    package init(bundleVersions: [String] = [], validationCategories: [Int] = []) {
        self.bundleVersions = bundleVersions
        self.validationCategories = validationCategories
    }

    /// Takes the values of a single attestation.
    package init(bundleVersion: String?, validationCategory: Int?) {
        self.init(
            bundleVersions: bundleVersion.map { [$0] } ?? [],
            validationCategories: validationCategory.map { [$0] } ?? [])
    }
}
