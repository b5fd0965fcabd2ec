import ArgumentParser
import CaptureModel
import CaptureStore
import Enrolment
import PostgresCaptureStore

/// `capturectl invitations list`.
struct InvitationsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists invitations, newest first.",
        usage: "capturectl invitations list [<options>]",
        discussion: """
            Examples:
              capturectl invitations list
              capturectl invitations list --limit 500 --json
              capturectl invitations list --after 6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d

            \(CommandEnd.help)
            """
    )

    @OptionGroup var limit: LimitOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Go on after this invitation, which the list before has named.", valueName: "invitation"))
    var after: String?

    @OptionGroup var options: OperatorOptions

    func validate() throws {
        if let after, InvitationID(after) == nil {
            throw ValidationError("--after takes an invitation's id, not '\(after)'")
        }
    }

    func run() async throws {
        let (after, limit, json) = (after.flatMap { InvitationID($0) }, limit.count, options.json)
        try await OperatorSession.run(options, checksInstallation: false) { session in
            // One more than asked for tells whether there are more.
            let found = try await session.store.invitations(after: after, limit: limit + 1)
            // After an invitation that does not exist any more the list is empty, which is not its end.
            if found.isEmpty, let after, try await !session.store.hasInvitation(after) {
                standardError("capturectl: no invitation \(after): begin again, without --after\n")
                return false
            }
            let invitations = Array(found.prefix(limit))
            let next = found.count > limit ? invitations.last?.id : nil
            let now = Timestamp.systemTime()
            if json {
                let lines = invitations.map { InvitationLine(invitation: $0, now: now) }
                try printAnswer(JSONText.write(ListPage(name: "invitations", rows: lines, next: next?.description)))
            } else {
                try printAnswer(Self.text(invitations, after: after, at: now, next: next, on: .current))
            }
            return true
        }
    }

    /// The table, and how to go on.
    static func text(
        _ invitations: [Invitation], after: InvitationID?, at now: Timestamp, next: InvitationID?,
        on terminal: Terminal
    ) -> String {
        guard !invitations.isEmpty else { return after == nil ? "no invitations" : "no more invitations" }
        // The other columns take up to 71 columns, an end 26. Half a creator's name is useless.
        let room = terminal.columns.map { $0 - 71 } ?? .max
        let longest = invitations.map { DisplayWidth.of(ShownText.line($0.createdBy)) }.max() ?? 0
        let (hasEnd, hasMaker) = (room >= 26, room >= 26 + 2 + longest)
        var columns: [(title: String, alignment: TextTable.Alignment)] = [
            ("invitation", .leading), ("made", .trailing), ("state", .leading),
        ]
        if hasEnd { columns.append(("expires", .leading)) }
        if hasMaker { columns.append(("by", .leading)) }
        columns.append(("note", .leading))
        var table = TextTable(columns) { column, text in
            column != 2 || text == Invitation.Standing.open.rawValue ? nil : .faint
        }
        for invitation in invitations {
            var row = [
                "\(invitation.id)", "\(TerminalText.age(now.since(invitation.createdAt))) ago",
                invitation.standing(at: now).rawValue,
            ]
            if hasEnd { row.append(invitation.expiresAt.rfc3339) }
            if hasMaker { row.append(invitation.createdBy) }
            table.append(row + [invitation.note ?? ""])
        }
        return table.text(for: terminal, flexible: columns.count - 1) + (next.map { "\n\nmore: --after \($0)" } ?? "")
    }
}
