#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A random id (UUID version 4) whose type tells it from the ids of other things.
package struct RandomID<Kind>: Hashable, Sendable, CustomStringConvertible {
    /// The id as a UUID.
    package let uuid: UUID

    /// Takes over an id that exists already.
    package init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Reads the canonical text form (36 characters, either case); anything else is `nil`.
    package init?(_ text: some StringProtocol) {
        guard let uuid = UUID(canonical: text) else { return nil }
        self.uuid = uuid
    }

    /// Makes a new id; 122 bits of it are random.
    package static func make(using generator: inout some RandomNumberGenerator) -> RandomID {
        RandomID(.random(using: &generator))
    }

    /// The canonical text form in lower case.
    package var description: String { uuid.canonicalText }
}
