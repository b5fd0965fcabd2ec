public import CaptureModel

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
/// Whoever knows it may go on with the attempt: it stands in no log, in no audit and in no table.
public typealias EnrolmentID = RandomID<EnrolmentKind.Session>
/// Names an enrolled user: random, so that it says nothing about anybody.
public typealias UserGUID = RandomID<EnrolmentKind.User>
/// Names an invitation in lists; not what it is used with, which is its ``InvitationCode``.
public typealias InvitationID = RandomID<EnrolmentKind.Invitation>
/// Names a transaction key.
public typealias TransactionKeyID = RandomID<EnrolmentKind.Transaction>

extension EnrolmentID {
    /// Under what the record knows the session; with that much chance in an id, a plain hash of it tells nothing.
    public var digest: SHA256Digest { .hash(Array("enrolment|\(self)".utf8)) }
}
