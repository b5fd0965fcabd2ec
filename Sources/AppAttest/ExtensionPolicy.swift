/// What the signed extensions of iOS 27 must say, where they are present.
///
/// Systems before iOS 27 send no extensions, and an app cannot add them: their absence is never refused.
public struct ExtensionPolicy: Hashable, Sendable {
    /// The validation categories taken (3 development, 2 TestFlight, 4 App Store, …); `nil` takes any.
    public var validationCategories: Set<Int>?
    /// The lowest bundle version (CFBundleVersion) taken; `nil` takes any.
    public var bundleVersionMinimum: DottedVersion?

    /// Creates a policy that takes everything unless told otherwise.
    public init(validationCategories: Set<Int>? = nil, bundleVersionMinimum: DottedVersion? = nil) {
        self.validationCategories = validationCategories
        self.bundleVersionMinimum = bundleVersionMinimum
    }

    /// A rule that extensions can break.
    public enum Violation: Error, Sendable, Hashable, CaseIterable {
        /// The validation category is not among those taken, or cannot be read.
        case category
        /// The bundle version is lower than the lowest one taken, or is no version.
        case bundleVersion
    }

    /// The rules that extensions break, in the order of ``Violation``.
    public func violations(of extensions: AuthenticatorExtensions) -> [Violation] {
        var violations: [Violation] = []
        if let validationCategories, extensions.hasValidationCategory {
            let isTaken = extensions.validationCategory.map(validationCategories.contains) ?? false
            if !isTaken { violations.append(.category) }
        }
        if let bundleVersionMinimum, extensions.hasBundleVersion {
            let isTaken = extensions.comparableBundleVersion.map { $0 >= bundleVersionMinimum } ?? false
            if !isTaken { violations.append(.bundleVersion) }
        }
        return violations
    }

    func check(_ extensions: AuthenticatorExtensions) throws(Violation) {
        if let first = violations(of: extensions).first { throw first }
    }
}
