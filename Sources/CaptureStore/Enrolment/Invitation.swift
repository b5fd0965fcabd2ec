package import CaptureModel
package import Enrolment

/// A permit to enrol one device, once and until a moment; only the invited person knows its code.
package struct Invitation: Sendable, Equatable {
    /// The standing of an invitation.
    package enum Standing: String, Sendable, CaseIterable {
        /// It may be used.
        case open
        /// An enrolment was begun with it.
        case used
        /// Nobody has used it in time.
        case expired
        /// An operator has taken it back.
        case revoked
    }

    /// Its name in lists and in the audit.
    package let id: InvitationID
    /// Whom or what it is for, in the operator's words.
    package let note: String?
    /// When it was made.
    package let createdAt: Timestamp
    /// Who made it.
    package let createdBy: String
    /// Until when it may be used.
    package let expiresAt: Timestamp
    /// When it was used.
    package let usedAt: Timestamp?
    /// When it was taken back.
    package let revokedAt: Timestamp?

    /// Memberwise.
    package init(
        id: InvitationID, note: String?, createdAt: Timestamp, createdBy: String, expiresAt: Timestamp,
        usedAt: Timestamp? = nil, revokedAt: Timestamp? = nil
    ) {
        self.id = id
        self.note = note
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.usedAt = usedAt
        self.revokedAt = revokedAt
    }

    /// Its standing at a moment.
    package func standing(at now: Timestamp) -> Standing {
        if usedAt != nil { return .used }
        if revokedAt != nil { return .revoked }
        return now < expiresAt ? .open : .expired
    }
}
