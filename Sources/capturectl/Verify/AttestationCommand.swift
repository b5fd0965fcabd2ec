import ArgumentParser

/// `capturectl attestation`.
struct AttestationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation", abstract: "Looks into App Attest attestations.",
        subcommands: [AttestationVerifyCommand.self]
    )
}
