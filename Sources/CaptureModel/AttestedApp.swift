/// What the attestations of a device's key say about the app that has it, where iOS 27 and later sign it.
///
/// Each value once, whichever attestation says it: the order in which they came is no evidence, since what was signed
/// before one of them may be uploaded after it.
public struct AttestedApp: Sendable, Equatable {
    /// The texts of CFBundleVersion as they were attested.
    public let bundleVersions: [String]
    /// The validation categories, as Apple numbers them.
    public let validationCategories: [Int]

    /// Takes what all attestations say; nothing unless told otherwise.
    public init(bundleVersions: [String] = [], validationCategories: [Int] = []) {
        self.bundleVersions = bundleVersions
        self.validationCategories = validationCategories
    }

    /// Takes what one attestation says.
    public init(bundleVersion: String?, validationCategory: Int?) {
        self.init(
            bundleVersions: bundleVersion.map { [$0] } ?? [],
            validationCategories: validationCategory.map { [$0] } ?? [])
    }
}
