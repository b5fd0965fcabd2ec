/// The facts that a device's attestations named: the registration's, and the latest of those since.
package struct AttestationHistory: Sendable, Equatable {
    /// How many are listed beside the registration's; the record keeps them all.
    package static let latestMax = 50

    /// The registration's first, the latest last.
    package let entries: [AttestationSummary]
    /// Whether attestations between the first and the second are left out.
    package let isCut: Bool

    /// Takes the registration's attestation and, in order, the latest ones: one more than listed, if there are as many.
    package init(_ found: [AttestationSummary]) {
        isCut = found.count > 1 + Self.latestMax
        entries = isCut ? Array(found.prefix(1) + found.suffix(Self.latestMax)) : found
    }
}
