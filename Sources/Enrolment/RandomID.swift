import CaptureModel
public import FoundationEssentials

/// A random id (UUID version 4) that is told from the ids of other things by its type.
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

    /// Makes a new id; 122 bits of it are chance.
    public static func make(using generator: inout some RandomNumberGenerator) -> RandomID {
        RandomID(.random(using: &generator))
    }

    /// The canonical text form in lower case.
    public var description: String { uuid.canonicalText }
}

/// What ids of enrolment are ids of.
public enum EnrolmentKind {
    /// One attempt to enrol.
    public enum Session {}
    /// The enrolled user.
    public enum User {}
    /// Leave to enrol once.
    public enum Invitation {}
    /// One X25519 key pair.
    public enum Transaction {}
}

/// Names one attempt to enrol.
///
/// Whoever knows it may go on with the attempt: it stands in no log and in no audit.
public typealias EnrolmentID = RandomID<EnrolmentKind.Session>
/// Names an enrolled user: random, so that it says nothing about anybody.
public typealias UserGUID = RandomID<EnrolmentKind.User>
/// Names an invitation in lists; not what it is used with, which is its ``InvitationCode``.
public typealias InvitationID = RandomID<EnrolmentKind.Invitation>
/// Names a transaction key.
public typealias TransactionKeyID = RandomID<EnrolmentKind.Transaction>
