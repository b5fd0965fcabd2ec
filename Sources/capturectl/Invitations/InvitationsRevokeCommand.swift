import ArgumentParser
import CaptureModel
import CaptureStore
import Enrolment
import PostgresCaptureStore

/// `capturectl invitations revoke`.
struct InvitationsRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Takes an invitation back that was not used; its code is unknown from then on.",
        usage: "capturectl invitations revoke <invitation> [<options>]",
        discussion: """
            One that was used, or has expired, stays as it is (exit 1): to undo an enrolment, revoke its device.

            Examples:
              capturectl invitations revoke 6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d
              capturectl invitations revoke 6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d --json

            \(CommandEnd.help)
            """
    )

    @Argument(help: "The invitation's id.", transform: CommandValue.invitationID)
    var invitation: InvitationID

    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    private struct Answer: Encodable {
        let invitation: String
        let before: String
        let revoked: Bool

        enum CodingKeys: String, CodingKey {
            case invitation = "invitation_id"
            case before, revoked
        }
    }

    func run() async throws {
        let (id, json, name) = (invitation, options.json, actor.name)
        try await OperatorSession.run(options, checksInstallation: false) { session in
            try await session.requireSchema()
            guard
                let before = try await session.store.revokeInvitation(id, at: Timestamp.systemTime(), actor: name)
            else {
                standardError("capturectl: no invitation \(id)\n")
                return false
            }
            let isRevoked = before == .open
            if json {
                try printAnswer(
                    JSONText.write(
                        Answer(invitation: "\(id)", before: before.rawValue, revoked: isRevoked)))
            } else {
                try printAnswer(isRevoked ? "revoked" : "nothing was done: it is \(before.rawValue)")
            }
            return isRevoked
        }
    }
}
