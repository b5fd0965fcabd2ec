package import CaptureModel

/// Tells the ids of enrolment from each other.
package enum EnrolmentKind {
    /// One attempt to enrol.
    package enum Session {}
    /// The enrolled user.
    package enum User {}
    /// The permission to enrol once.
    package enum Invitation {}
    /// One X25519 key pair.
    package enum Transaction {}
}

/// Names one attempt to enrol.
///
/// Whoever knows it may continue the attempt, so it is in no log, no audit and no table.
package typealias EnrolmentID = RandomID<EnrolmentKind.Session>
/// Names an enrolled user: random, so that it says nothing about anybody.
package typealias UserGUID = RandomID<EnrolmentKind.User>
/// Names an invitation in lists; it is used with its ``InvitationCode``, not with this id.
package typealias InvitationID = RandomID<EnrolmentKind.Invitation>
/// Names a transaction key.
package typealias TransactionKeyID = RandomID<EnrolmentKind.Transaction>

extension EnrolmentID {
    /// The record's key of the session: an id has so many random bits that a plain hash of it reveals nothing.
    package var digest: SHA256Digest { .hash(Array("enrolment|\(self)".utf8)) }
}
