import ArgumentParser
import CaptureModel
import CaptureStore
import Enrolment

/// `capturectl invitations …`: who may enrol.
struct InvitationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invitations",
        abstract: "Makes invitations to enrol, lists them, and takes them back.",
        subcommands: [InvitationsCreateCommand.self, InvitationsListCommand.self, InvitationsRevokeCommand.self]
    )
}

/// An invitation as JSON; its code is shown once, on creation.
struct InvitationLine: Encodable {
    let invitation: Invitation
    let now: Timestamp
    var code: InvitationCode?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(invitation.id, forKey: "invitation_id")
        try container.encodeIfPresent(code?.description, forKey: "invitation_code")
        try container.encode(invitation.standing(at: now).rawValue, forKey: "state")
        try container.encode(invitation.note, forKey: "note")
        try container.encode(invitation.createdAt, forKey: "created_at")
        try container.encode(invitation.createdBy, forKey: "created_by")
        try container.encode(invitation.expiresAt, forKey: "expires_at")
        try container.encode(invitation.usedAt, forKey: "used_at")
        try container.encode(invitation.revokedAt, forKey: "revoked_at")
    }
}
