import ArgumentParser
import CaptureModel

/// `capturectl receipt`.
struct ReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Verifies App Attest receipts.", subcommands: [ReceiptVerifyCommand.self]
    )
}

/// `capturectl receipt verify`.
struct ReceiptVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies a receipt and prints the verdict as one JSON object.",
        usage: """
            capturectl receipt verify --app-id <app-id> --public-key <public-key>
                --receipt <receipt> [<options>]
            capturectl receipt verify --json-lines [<options>]
            """,
        discussion: """
            Base64 may be base64url, with or without padding. @FILE reads a file: its bytes as they are, or, for the \
            receipt, base64 text.

            The clientDataHash is compared with receipts of attestations only: renewed ones do not hold it.

            With --json-lines each line of standard input is an object with receipt, app_id, public_key, \
            client_data_hash or challenge, type, environment, token, at, fresh, root (PEM text or list) and id, which is \
            repeated as it came; flags given apply to lines that do not say otherwise. Empty lines are passed over and \
            get no answer. A line that makes no sense gets the verdict "error", and the run goes on; it exits 0 when \
            every line was answered.

            Examples:
              capturectl receipt verify --app-id TEAM123456.com.example.app \\
                  --public-key "$KEY" --receipt @receipt.b64 \\
                  --at 2026-04-21T18:13:12Z

            Exit codes: 0 accepted; 1 rejected; 64 the question makes no sense; 74 the answer could not be written, or \
            standard input not be read.
            """
    )

    @Option(name: .customLong("app-id"), parsing: .unconditionalSingleValue, help: "The app that the key belongs to.")
    var appIDs: [String] = []

    @Option(parsing: .unconditional, help: "The key, as base64 of X9.63 (65 bytes) or SubjectPublicKeyInfo.")
    var publicKey: String?

    @Option(parsing: .unconditional, help: "The receipt, as base64 or @FILE.")
    var receipt: String?

    @Option(parsing: .unconditional, help: "The challenge, as base64 or @FILE; its SHA-256 is the clientDataHash.")
    var challenge: String?

    @Option(
        parsing: .unconditional, help: "The clientDataHash itself, as base64; any length. (default: not compared)")
    var clientDataHash: String?

    @Option(help: "ATTEST, RECEIPT or any. (default: any)", completion: .list(["ATTEST", "RECEIPT", "any"]))
    var type: String?

    @Option(
        help: "production, development or any. (default: any)",
        completion: .list(VerificationFields.environmentWords))
    var environment: String?

    @Option(parsing: .unconditional, help: "The token that the receipt must have. (default: not compared)")
    var token: String?

    @OptionGroup var trust: TrustOptions

    @Flag(inversion: .prefixedNo, help: "Refuse a receipt made more than five minutes before it was received.")
    var fresh = true

    @Flag(help: "Answer each line of standard input.")
    var jsonLines = false

    @OptionGroup var format: JSONFlag

    func validate() throws {
        guard appIDs.count <= 1 else { throw ValidationError("--app-id takes the one app of the key") }
    }

    func run() throws {
        var question = ReceiptQuestion(now: Timestamp.systemTime)
        try AnswerRun.give(try fields(), jsonLines: jsonLines, members: .receipt) {
            (fields) throws(VerificationFault) in try question.answer(fields)
        }
    }

    private func fields() throws -> VerificationFields {
        var fields = VerificationFields()
        fields.appIDs = appIDs
        fields.bytes[.publicKey] = publicKey.map { .base64($0) }
        fields.bytes[.receipt] = try receipt.map(FileArgument.object)
        fields.bytes[.challenge] = try challenge.map(FileArgument.bytes)
        fields.bytes[.clientDataHash] = clientDataHash.map { .base64($0) }
        fields.receiptType = type
        fields.environment = environment
        fields.token = token
        fields.isFresh = fresh
        try trust.fill(&fields)
        return fields
    }
}
