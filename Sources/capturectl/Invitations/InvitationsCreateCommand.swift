import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore
import Enrolment
import PostgresCaptureStore

/// `capturectl invitations create`.
struct InvitationsCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes an invitation, and tells its code: only this once, since only a digest of it is kept.",
        usage: "capturectl invitations create [<options>]",
        discussion: """
            Whoever has the code enrols one device with it, once, until it expires.

            Examples:
              capturectl invitations create --note "Ada, new phone"
              capturectl invitations create --days 1 --json

            \(CommandEnd.help)
            """
    )

    private static let noteBytesMax = 200

    @Option(help: "Days for which it may be used, 1 to 365.")
    var days = 7

    @Option(
        help: """
            Whom or what it is for, on one line of up to \(InvitationsCreateCommand.noteBytesMax) bytes; shown in lists.
            """)
    var note: String?

    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    func validate() throws {
        guard (1...365).contains(days) else { throw ValidationError("--days takes 1 to 365") }
        if let note, !OperatorWords.areOneLine(note, bytesMax: Self.noteBytesMax) {
            throw ValidationError("--note takes \(OperatorWords.rule(bytesMax: Self.noteBytesMax))")
        }
    }

    func run() async throws {
        let (json, note, name, lifetime) = (options.json, note, actor.name, Duration.seconds(days * 86_400))
        try await OperatorSession.run(options, checksInstallation: false) { session in
            try await session.requireSchema()
            var generator = SystemRandomNumberGenerator()
            let now = Timestamp.systemTime()
            let code = InvitationCode.make(using: &generator)
            let invitation = Invitation(
                id: .make(using: &generator), note: note, createdAt: now, createdBy: name,
                expiresAt: now.advanced(by: lifetime))
            try await session.store.invite(invitation, code: code.digest)
            if json {
                try printAnswer(JSONText.write(InvitationLine(invitation: invitation, now: now, code: code)))
            } else {
                var facts = FactList()
                facts.add("code", "\(code)")
                facts.add("invitation", "\(invitation.id)")
                facts.add("expires", invitation.expiresAt.rfc3339)
                facts.add("note", note)
                try printAnswer(facts.text)
            }
            return true
        }
    }
}
