import ArgumentParser
import CaptureModel

/// `capturectl attestation`.
struct AttestationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation", abstract: "Verifies App Attest attestations.",
        subcommands: [AttestationVerifyCommand.self]
    )
}

/// `capturectl attestation verify`.
struct AttestationVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies an attestation and prints the verdict as one JSON object.",
        usage: """
            capturectl attestation verify --app-id <app-id> ... --key-id <key-id>
                --attestation <attestation>
                (--challenge <challenge> | --client-data-hash <client-data-hash>)
                [<options>]
            capturectl attestation verify --json-lines [<options>]
            """,
        discussion: """
            Base64 may be base64url, with or without padding. @FILE reads a file: its bytes as they are, or, for the \
            attestation, base64 text.

            With --json-lines each line of standard input is an object with app_id (string or list), key_id, \
            attestation, challenge or client_data_hash, environment, at, root (PEM text or list), require_receipt, \
            verify_receipt and id, which is repeated as it came; flags given apply to lines that do not say otherwise. \
            What `assertion verify` reads besides may be there, too, and has to be readable. Empty lines are passed over \
            and get no answer. A line that makes no sense gets the verdict "error", and the run goes on; it exits 0 when \
            every line was answered.

            Examples:
              capturectl attestation verify --app-id TEAM123456.com.example.app \\
                  --key-id "$KEY_ID" --attestation @attestation.b64 \\
                  --challenge "$CHALLENGE"
              capturectl attestation verify --json-lines \\
                  --app-id TEAM123456.com.example.app < questions > answers

            Exit codes: 0 accepted; 1 rejected; 64 the question makes no sense; 74 the answer could not be written, or \
            standard input not be read.
            """
    )

    @Option(name: .customLong("app-id"), help: "An app that is accepted; may be repeated.")
    var appIDs: [String] = []

    @Option(name: .customLong("key-id"), parsing: .unconditional, help: "The key id, as base64.")
    var keyID: String?

    @Option(parsing: .unconditional, help: "The attestation object, as base64 or @FILE.")
    var attestation: String?

    @Option(parsing: .unconditional, help: "The challenge, as base64 or @FILE; its SHA-256 is the clientDataHash.")
    var challenge: String?

    @Option(
        parsing: .unconditional,
        help: "The clientDataHash itself, as base64; any length, so never one that came with the attestation.")
    var clientDataHash: String?

    @Option(
        help: "production, development or any. (default: production)",
        completion: .list(VerificationFields.environmentWords))
    var environment: String?

    @OptionGroup var trust: TrustOptions

    @Flag(inversion: .prefixedNo, help: "Refuse an attestation without a receipt.")
    var requireReceipt = true

    @Flag(help: "Verify the receipt too; its reason then stands for the attestation's.")
    var verifyReceipt = false

    @Flag(help: "Answer each line of standard input.")
    var jsonLines = false

    @OptionGroup var format: JSONFlag

    func run() throws {
        var question = AttestationQuestion(now: Timestamp.systemTime)
        try AnswerRun.give(try fields(), jsonLines: jsonLines, members: .attestation) {
            (fields) throws(VerificationFault) in try question.answer(fields)
        }
    }

    private func fields() throws -> VerificationFields {
        var fields = VerificationFields()
        fields.appIDs = appIDs
        fields.bytes[.keyID] = keyID.map { .base64($0) }
        fields.bytes[.attestation] = try attestation.map(FileArgument.object)
        fields.bytes[.challenge] = try challenge.map(FileArgument.bytes)
        fields.bytes[.clientDataHash] = clientDataHash.map { .base64($0) }
        fields.environment = environment
        fields.requireReceipt = requireReceipt
        fields.verifyReceipt = verifyReceipt
        try trust.fill(&fields)
        return fields
    }
}
