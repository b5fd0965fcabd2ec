import ArgumentParser

/// `capturectl assertion`.
struct AssertionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assertion", abstract: "Looks into App Attest assertions.",
        subcommands: [AssertionVerifyCommand.self]
    )
}
