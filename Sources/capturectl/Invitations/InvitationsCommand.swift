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

    private enum CodingKeys: String, CodingKey {
        case id = "invitation_id"
        case code = "invitation_code"
        case state, note
        case createdAt = "created_at"
        case createdBy = "created_by"
        case expiresAt = "expires_at"
        case usedAt = "used_at"
        case revokedAt = "revoked_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(invitation.id, forKey: .id)
        try container.encodeIfPresent(code?.description, forKey: .code)
        try container.encode(invitation.standing(at: now).rawValue, forKey: .state)
        try container.encode(invitation.note, forKey: .note)
        try container.encode(invitation.createdAt, forKey: .createdAt)
        try container.encode(invitation.createdBy, forKey: .createdBy)
        try container.encode(invitation.expiresAt, forKey: .expiresAt)
        try container.encode(invitation.usedAt, forKey: .usedAt)
        try container.encode(invitation.revokedAt, forKey: .revokedAt)
    }
}
