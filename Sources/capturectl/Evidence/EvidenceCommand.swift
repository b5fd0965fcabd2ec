import ArgumentParser

/// `capturectl evidence`.
struct EvidenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Verifies settled captures' signatures again, without the system that settled them.",
        subcommands: [EvidenceVerifyCommand.self]
    )
}
