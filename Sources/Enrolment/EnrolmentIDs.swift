package import CaptureModel

/// What ids of enrolment are ids of.
package enum EnrolmentKind {
    /// One attempt to enrol.
    package enum Session {}
    /// The enrolled user.
    package enum User {}
    /// Leave to enrol once.
    package enum Invitation {}
    /// One X25519 key pair.
    package enum Transaction {}
}

/// Names one attempt to enrol.
///
/// Whoever knows it may go on with the attempt: it stands in no log, in no audit and in no table.
package typealias EnrolmentID = RandomID<EnrolmentKind.Session>
/// Names an enrolled user: random, so that it says nothing about anybody.
package typealias UserGUID = RandomID<EnrolmentKind.User>
/// Names an invitation in lists; not what it is used with, which is its ``InvitationCode``.
package typealias InvitationID = RandomID<EnrolmentKind.Invitation>
/// Names a transaction key.
package typealias TransactionKeyID = RandomID<EnrolmentKind.Transaction>

extension EnrolmentID {
    /// Under what the record knows the session; with that much chance in an id, a plain hash of it tells nothing.
    package var digest: SHA256Digest { .hash(Array("enrolment|\(self)".utf8)) }
}
