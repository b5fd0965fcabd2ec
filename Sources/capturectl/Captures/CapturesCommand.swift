import ArgumentParser

/// `capturectl captures …`: shows captures and their results.
struct CapturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures",
        abstract: "Lists captures, shows all that is known of one, and gives its evidence.",
        subcommands: [
            CapturesListCommand.self, CapturesShowCommand.self, CapturesEvidenceCommand.self,
        ]
    )
}
