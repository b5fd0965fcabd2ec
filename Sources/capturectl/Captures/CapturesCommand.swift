import ArgumentParser

/// `capturectl captures …`: what became of captures.
struct CapturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures",
        abstract: "Lists captures and shows all that is known of one.",
        subcommands: [CapturesListCommand.self, CapturesShowCommand.self]
    )
}
