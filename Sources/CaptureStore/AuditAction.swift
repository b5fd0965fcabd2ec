/// An action that the audit notes, under its name there.
///
/// Programs of other releases may note other actions: an ``AuditEntry`` keeps the name as text.
package enum AuditAction: String, CaseIterable, Sendable {
    /// A device was registered.
    case deviceRegister = "device.register"
    /// A further attestation of a device's key was accepted.
    case deviceReattest = "device.reattest"
    /// A device was revoked; noted by the statement that revokes it.
    case deviceRevoke = "device.revoke"
    /// A device's key was reported compromised; noted by the statement that marks it.
    case deviceCompromise = "device.compromise"
    /// A verified device took the place of an unverified one.
    case deviceSupersede = "device.supersede"

    /// A dead letter was put back at the end of its lane.
    case captureRedrive = "capture.redrive"
    /// A dead letter was deleted for good.
    case captureDiscard = "capture.discard"

    /// The workers were told to claim nothing.
    case queuePause = "queue.pause"
    /// The workers were told to go on.
    case queueResume = "queue.resume"
    /// The doctor repaired the queue.
    case queueRepair = "queue.repair"

    /// An invitation was made.
    case invitationCreate = "invitation.create"
    /// An invitation was taken back; noted by the statement that ends it.
    case invitationRevoke = "invitation.revoke"

    /// A bundle directory was prepared.
    case bundlesPrepare = "bundles.prepare"

    /// The installation got its id; noted by the database itself.
    case installationNew = "installation.new"
    /// A copy of the installation got an id of its own; noted by the database itself.
    case installationRenew = "installation.renew"

    /// The schema was brought down.
    case schemaDown = "schema.down"

    /// An enrolment was begun.
    case enrolmentStart = "enrolment.start"
    /// An enrolment's device was attested.
    case enrolmentAttest = "enrolment.attest"
    /// An enrolment was refused for good.
    case enrolmentRefuse = "enrolment.refuse"
    /// An enrolment's password was taken.
    case enrolmentPassword = "enrolment.password"
    /// An enrolment was finished.
    case enrolmentFinalize = "enrolment.finalize"

    /// What programs note of their own work: no operator has asked for it.
    package static let ofPrograms: [AuditAction] = [
        .deviceRegister, .deviceReattest, .deviceSupersede, .enrolmentStart, .enrolmentAttest, .enrolmentRefuse,
        .enrolmentPassword, .enrolmentFinalize,
    ]

    /// The kind of thing that it is done to: the first word of its name.
    package var kind: Substring { rawValue.prefix { $0 != "." } }

    /// The name of the entry that corrects one whose action did not happen, or not as far as it says.
    package var missed: String { "\(rawValue).missed" }
}
