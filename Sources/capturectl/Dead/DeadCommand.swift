import ArgumentParser

/// `capturectl dead`: shows and handles dead letters.
struct DeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead",
        abstract: "Lists, shows, redrives and discards dead letters.",
        discussion: """
            A dead letter is a capture that was given up: its job and its bytes stay until an operator decides.

            Examples:
              capturectl dead list --group
              capturectl dead list --fault "its worker did not come back"
              capturectl dead show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl dead redrive --all --reason ATTEMPTS_EXHAUSTED --dry-run
              capturectl dead discard 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21

            \(CommandEnd.help)
            """,
        subcommands: [
            DeadListCommand.self, DeadShowCommand.self, DeadRedriveCommand.self, DeadDiscardCommand.self,
        ]
    )
}
