public import FoundationEssentials

/// A random id (UUID version 4) whose type tells it from the ids of other things.
public struct RandomID<Kind>: Hashable, Sendable, CustomStringConvertible {
    /// The id as a UUID.
    public let uuid: UUID

    /// Takes over an id that exists already.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Reads the canonical text form (36 characters, either case); anything else is `nil`.
    public init?(_ text: some StringProtocol) {
        guard let uuid = UUID(canonical: text) else { return nil }
        self.uuid = uuid
    }

    /// Makes a new id; 122 bits of it are random.
    public static func make(using generator: inout some RandomNumberGenerator) -> RandomID {
        RandomID(.random(using: &generator))
    }

    /// The canonical text form in lower case.
    public var description: String { uuid.canonicalText }
}
