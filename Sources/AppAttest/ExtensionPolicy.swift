/// The requirements on the signed extensions of iOS 27, where they are present.
///
/// Systems before iOS 27 send no extensions, and an app cannot add them: their absence is never refused.
public struct ExtensionPolicy: Hashable, Sendable {
    /// The validation categories taken (3 development, 2 TestFlight, 4 App Store, …); `nil` takes any.
    public var validationCategories: Set<Int>?
    /// The lowest bundle version (CFBundleVersion) taken; `nil` takes any.
    public var bundleVersionMinimum: DottedVersion?
    /// The facts that must not be lower in an assertion than in every attestation of its key; none by default.
    ///
    /// Each app chooses for itself, because keys outlive updates and not every update has a higher build. On iOS a
    /// build number must rise only within one CFBundleShortVersionString (Apple, Technical Note TN2420), so that 2.0
    /// (1) may follow 1.9 (57); and users who leave TestFlight may go back to an earlier build.
    public var notBelowAttested: Set<AttestedFact>

    /// A fact about the app that both attestations and assertions state.
    public enum AttestedFact: String, Sendable, Hashable, CaseIterable {
        /// The bundle version: for apps whose CFBundleVersion rises with every release.
        case bundleVersion
        /// The validation category.
        case validationCategory
    }

    /// Creates a policy; the default takes everything.
    public init(
        validationCategories: Set<Int>? = nil, bundleVersionMinimum: DottedVersion? = nil,
        notBelowAttested: Set<AttestedFact> = []
    ) {
        self.validationCategories = validationCategories
        self.bundleVersionMinimum = bundleVersionMinimum
        self.notBelowAttested = notBelowAttested
    }

    /// A rule that extensions can break.
    public enum Violation: Error, Sendable, Hashable, CaseIterable {
        /// The validation category is not among those taken, or cannot be read.
        case category
        /// The bundle version is lower than the lowest one taken, or is no version.
        case bundleVersion
        /// The validation category is lower than every attested one; only for assertions.
        case categoryBelowAttested
        /// The bundle version is lower than every attested one; only for assertions.
        case bundleVersionBelowAttested
    }

    /// The rules that extensions break, in the order of ``Violation``.
    /// - Parameters:
    ///   - extensions: The signed extensions.
    ///   - attested: What the key's attestations say; `nil` for an attestation, which is not compared with earlier
    ///     ones.
    public func violations(
        of extensions: AuthenticatorExtensions, attested: AttestedExtensions? = nil
    ) -> [Violation] {
        var violations: [Violation] = []
        if let validationCategories, extensions.hasValidationCategory {
            let isTaken = extensions.validationCategory.map(validationCategories.contains) ?? false
            if !isTaken { violations.append(.category) }
        }
        if let bundleVersionMinimum, extensions.hasBundleVersion {
            let isTaken = extensions.comparableBundleVersion.map { $0 >= bundleVersionMinimum } ?? false
            if !isTaken { violations.append(.bundleVersion) }
        }
        guard let attested else { return violations }
        if notBelowAttested.contains(.validationCategory),
            attested.isAbove(validationCategory: extensions.validationCategory)
        {
            violations.append(.categoryBelowAttested)
        }
        if notBelowAttested.contains(.bundleVersion),
            attested.isAbove(bundleVersion: extensions.comparableBundleVersion)
        {
            violations.append(.bundleVersionBelowAttested)
        }
        return violations
    }

    func check(_ extensions: AuthenticatorExtensions, attested: AttestedExtensions? = nil) throws(Violation) {
        if let first = violations(of: extensions, attested: attested).first { throw first }
    }
}
