/// What the attestations of a device said: the registration's, and the latest of those since.
package struct AttestationHistory: Sendable, Equatable {
    /// How many are told beside the registration's; the record keeps them all.
    package static let latestMax = 50

    /// The registration's first, the latest last.
    package let entries: [AttestationSummary]
    /// Whether there are others between the first and the second.
    package let isCut: Bool

    /// Takes the registration's attestation and, in order, one more of the latest than are told, where there are so many.
    package init(_ found: [AttestationSummary]) {
        isCut = found.count > 1 + Self.latestMax
        entries = isCut ? Array(found.prefix(1) + found.suffix(Self.latestMax)) : found
    }
}
