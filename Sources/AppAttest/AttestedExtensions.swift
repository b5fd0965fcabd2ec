/// What the attestations of one key say about its app, as far as its assertions can be held to it.
///
/// A key may be attested several times, and an assertion that an app made before may come after the attestation of a
/// newer one: captures wait for a network. So only what is lower than every attestation is lower than attested.
///
/// ```swift
/// let attested = AttestedExtensions(bundleVersions: ["1314", "1400"], validationCategories: [4])
/// policy.violations(of: extensions, attested: attested)
/// ```
public struct AttestedExtensions: Hashable, Sendable {
    /// The earliest bundle version that an attestation names; `nil` where none does, or one of them cannot be compared.
    public let bundleVersion: DottedVersion?
    /// The validation category that asks the least of assertions; `nil` where no attestation names one.
    public let validationCategory: Int?

    /// Builds that Apple signs for whoever installs them: 2 TestFlight, 4 App Store.
    ///
    /// People go from one to the other and back, and take the key with them: neither is lower.
    private static let byApple: Set<Int> = [2, 4]
    /// Builds that nobody but their team vouches for, or nobody at all: 0 invalid, 3 development, 5 enterprise or
    /// ad hoc, 6 Developer ID.
    ///
    /// Of 1 (the system's own), 10 (other) and every number that Apple may add nothing is known that makes it lower.
    private static let byTeam: Set<Int> = [0, 3, 5, 6]

    /// Takes what the attestations name, in any order.
    ///
    /// A text that is no version may stand for an earlier build than any other: nothing is held to the others then.
    public init(bundleVersions: [String], validationCategories: [Int]) {
        let versions = bundleVersions.compactMap { DottedVersion($0) }
        let areAllVersions = versions.count == bundleVersions.count
        bundleVersion = areAllVersions ? versions.min { $0.isEarlierBuild(than: $1) } : nil
        let categories = validationCategories.sorted()
        validationCategory = categories.first { !Self.byApple.contains($0) } ?? categories.first
    }

    /// Whether there is nothing to hold an assertion to.
    public var isEmpty: Bool { bundleVersion == nil && validationCategory == nil }

    /// Whether a build comes before every attested one; what cannot be compared does not.
    public func isAbove(bundleVersion other: DottedVersion?) -> Bool {
        guard let bundleVersion, let other else { return false }
        return other.isEarlierBuild(than: bundleVersion)
    }

    /// Whether a build has come by its team alone where all attested ones had come by Apple.
    ///
    /// The numbers are names and no ranks: 3 (development) is less than 4 (App Store), and 5 (ad hoc) is not.
    public func isAbove(validationCategory other: Int?) -> Bool {
        guard let validationCategory, let other else { return false }
        return Self.byApple.contains(validationCategory) && Self.byTeam.contains(other)
    }
}
