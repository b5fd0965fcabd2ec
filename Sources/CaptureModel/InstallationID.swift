public import FoundationEssentials

/// Names one installation for good: a record in PostgreSQL with the queue and the bundle directory that belong to it.
///
/// Random (UUID version 4), made once in PostgreSQL. Redis and the bundle directory carry it too, so that a program which
/// was given those of two installations finds out before it has destroyed anything.
public struct InstallationID: Hashable, Sendable, CustomStringConvertible {
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

    /// The canonical text form in lower case.
    public var description: String { uuid.canonicalText }
}
