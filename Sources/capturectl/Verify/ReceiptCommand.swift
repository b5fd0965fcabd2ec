import ArgumentParser

/// `capturectl receipt`.
struct ReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Looks into App Attest receipts.", subcommands: [ReceiptVerifyCommand.self]
    )
}
