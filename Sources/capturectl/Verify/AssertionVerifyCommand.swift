import ArgumentParser

/// `capturectl assertion`.
struct AssertionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assertion", abstract: "Verifies App Attest assertions.",
        subcommands: [AssertionVerifyCommand.self]
    )
}

/// `capturectl assertion verify`.
struct AssertionVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies an assertion and prints the verdict as one JSON object.",
        usage: """
            capturectl assertion verify --app-id <app-id> --public-key <public-key>
                --assertion <assertion>
                (--client-data <client-data> | --client-data-hash <client-data-hash>)
                [<options>]
            capturectl assertion verify --json-lines [<options>]
            """,
        discussion: """
            Base64 may be base64url, with or without padding. @FILE reads a file: its bytes as they are, or, for the \
            assertion, base64 text.

            With --json-lines each line of standard input is an object with app_id, public_key, assertion, client_data \
            or client_data_hash, previous_counter and id, which is repeated as it came; flags given apply to lines that \
            do not say otherwise. What `attestation verify` reads besides may be there, too, and has to be readable. \
            Empty lines are passed over and get no answer. A line that makes no sense gets the verdict "error", and the \
            run goes on; it exits 0 when every line was answered.

            Examples:
              capturectl assertion verify --app-id TEAM123456.com.example.app \\
                  --public-key "$KEY" --assertion @assertion.b64 \\
                  --client-data @data.bin --previous-counter 17

            Exit codes: 0 accepted; 1 rejected; 64 the question makes no sense; 74 the answer could not be written, or \
            standard input not be read.
            """
    )

    @Option(
        name: .customLong("app-id"), parsing: .unconditionalSingleValue,
        help: "The app that the key was registered for.")
    var appIDs: [String] = []

    @Option(
        parsing: .unconditional,
        help: "The key, as base64 of X9.63 (65 bytes), of an Ed25519 key (32 bytes) or of SubjectPublicKeyInfo.")
    var publicKey: String?

    @Option(parsing: .unconditional, help: "The assertion, as base64 or @FILE.")
    var assertion: String?

    @Option(parsing: .unconditional, help: "The client data, as base64 or @FILE; their SHA-256 is the clientDataHash.")
    var clientData: String?

    @Option(parsing: .unconditional, help: "The clientDataHash itself, as base64; the 32 bytes of a SHA-256.")
    var clientDataHash: String?

    @Option(parsing: .unconditional, help: "The counter seen before, which must be lower. (default: not compared)")
    var previousCounter: Int64?

    @Flag(help: "Answer each line of standard input.")
    var jsonLines = false

    @OptionGroup var format: JSONFlag

    func validate() throws {
        guard appIDs.count <= 1 else { throw ValidationError("--app-id takes the one app of the key") }
    }

    func run() throws {
        let question = AssertionQuestion()
        try AnswerRun.give(try fields(), jsonLines: jsonLines, members: .assertion) {
            (fields) throws(VerificationFault) in try question.answer(fields)
        }
    }

    private func fields() throws -> VerificationFields {
        var fields = VerificationFields()
        fields.appIDs = appIDs
        fields.bytes[.publicKey] = publicKey.map { .base64($0) }
        fields.bytes[.assertion] = try assertion.map(FileArgument.object)
        fields.bytes[.clientData] = try clientData.map(FileArgument.bytes)
        fields.bytes[.clientDataHash] = clientDataHash.map { .base64($0) }
        fields.previousCounter = previousCounter
        return fields
    }
}
