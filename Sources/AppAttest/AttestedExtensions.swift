/// The limits that the attestations of one key set for its assertions.
///
/// A key may be attested several times, and an assertion made before an update may arrive after the newer attestation:
/// captures wait for a network. So only an assertion that is lower than every attestation counts as lower than
/// attested.
///
/// ```swift
/// let attested = AttestedExtensions(bundleVersions: ["1314", "1400"], validationCategories: [4])
/// let rules = ExtensionPolicy(notBelowAttested: [.bundleVersion])
/// let violations = assertion.extensions.map { rules.violations(of: $0, attested: attested) }
/// ```
public struct AttestedExtensions: Hashable, Sendable {
    /// The earliest attested bundle version; `nil` when no attestation names one, or one of them cannot be compared.
    public let bundleVersion: DottedVersion?
    /// The least strict of the attested validation categories; `nil` when no attestation names one.
    public let validationCategory: Int?

    /// Builds that Apple signs for everybody who installs them: 2 TestFlight, 4 App Store.
    ///
    /// People switch between the two and keep the key: neither is lower.
    private static let byApple: Set<Int> = [2, 4]
    /// Builds that only their team vouches for, or nobody.
    ///
    /// 0 invalid, 3 development, 5 enterprise or ad hoc, 6 Developer ID. 1 (the system's own), 10 (other) and numbers
    /// that Apple may add are not listed: nothing known makes them lower.
    private static let byTeam: Set<Int> = [0, 3, 5, 6]

    /// Takes the values of all attestations, in any order.
    ///
    /// A text that is no version might be the earliest build of all, so with one among them no build is compared.
    public init(bundleVersions: [String], validationCategories: [Int]) {
        let versions = bundleVersions.compactMap { DottedVersion($0) }
        let areAllVersions = versions.count == bundleVersions.count
        bundleVersion = areAllVersions ? versions.min { $0.isEarlierBuild(than: $1) } : nil
        let categories = validationCategories.sorted()
        validationCategory = categories.first { !Self.byApple.contains($0) } ?? categories.first
    }

    /// Whether there is nothing to compare an assertion with.
    public var isEmpty: Bool { bundleVersion == nil && validationCategory == nil }

    /// Whether a build is earlier than every attested one; `false` for one that cannot be compared.
    public func isAbove(bundleVersion other: DottedVersion?) -> Bool {
        guard let bundleVersion, let other else { return false }
        return other.isEarlierBuild(than: bundleVersion)
    }

    /// Whether only its team vouches for a build, although Apple signed all attested ones.
    ///
    /// The numbers are names and no ranks: 3 (development) is less than 4 (App Store), and 5 (ad hoc) is not.
    public func isAbove(validationCategory other: Int?) -> Bool {
        guard let validationCategory, let other else { return false }
        return Self.byApple.contains(validationCategory) && Self.byTeam.contains(other)
    }
}
