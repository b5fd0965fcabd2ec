import Testing

/// Questions to `capturectl attestation verify` and its like that lack something, or make no sense.
@Suite(.timeLimit(.minutes(3))) struct `Bad usage of verification from the command line` {
    private static let appID = "TEAM123456.org.example.camera"

    @Test(arguments: [
        ["attestation", "verify"],
        ["attestation", "verify", "--app-id", appID],
        ["attestation", "verify", "--app-id", appID, "--key-id", "AAAA", "--attestation", "AAAA"],
        ["attestation", "verify", "--app-id", appID, "--key-id", "!", "--attestation", "AAAA", "--challenge", "AAAA"],
        ["attestation", "verify", "--app-id", "x", "--key-id", "AAAA", "--attestation", "AAAA", "--challenge", "AAAA"],
        // A bundle identifier without its team: no key belongs to it, and a rejection would blame the device.
        [
            "attestation", "verify", "--app-id", "org.example.camera", "--key-id", "AAAA", "--attestation", "AAAA",
            "--challenge", "AAAA",
        ],
        [
            "attestation", "verify", "--app-id", appID, "--key-id", "AAAA", "--attestation", "@/no/such/file",
            "--challenge", "AA",
        ],
        [
            "attestation", "verify", "--app-id", appID, "--key-id", "AAAA", "--attestation", "AAAA", "--challenge",
            "AAAA",
            "--client-data-hash", "AAAA",
        ],
        [
            "attestation", "verify", "--app-id", appID, "--key-id", "AA", "--attestation", "AA", "--challenge", "AA",
            "--at", "now",
        ],
        [
            "attestation", "verify", "--app-id", appID, "--key-id", "AA", "--attestation", "AA", "--challenge", "AA",
            "--environment", "staging",
        ],
        ["assertion", "verify", "--app-id", appID, "--public-key", "AAAA", "--assertion", "AAAA"],
        ["assertion", "verify", "--previous-counter", "one"],
        ["assertion", "verify", "--json-lines", "--app-id", appID, "--app-id", "TEAM123456.org.example.other"],
        ["receipt", "verify", "--json-lines", "--app-id", appID, "--app-id", "TEAM123456.org.example.other"],
    ])
    func `a question that makes no sense exits with 64`(_ arguments: [String]) async throws {
        let run = try await CommandLineRun(arguments)
        #expect(run.exitCode == 64)
        #expect(run.output.isEmpty && !run.errors.isEmpty)
    }

    /// Their answer is JSON in any case.
    @Test(arguments: [
        ["attestation", "verify"], ["assertion", "verify"], ["receipt", "verify"],
        ["evidence", "verify", "--app-id", appID, "--evidence", "/no/such/file"],
    ])
    func `each verification takes --json as other commands do`(arguments: [String]) async throws {
        let (run, plain) = (try await CommandLineRun(arguments + ["--json"]), try await CommandLineRun(arguments))
        #expect(run.exitCode == 64 && run.errors == plain.errors, "\(run.errors)")
        #expect(run.errors.contains("is missing") || run.errors.contains("cannot be read"), "\(run.errors)")
    }

    @Test(arguments: [
        (["attestation", "verify"], "--app-id is missing"), (["receipt", "verify"], "--receipt is missing"),
        (
            ["assertion", "verify", "--app-id", appID, "--public-key", "AA", "--assertion", "AA"],
            "--client-data or --client-data-hash is missing"
        ),
        (
            [
                "attestation", "verify", "--app-id", appID, "--key-id", "AA", "--attestation", "AA", "--challenge",
                "AA", "--client-data-hash", "AA",
            ], "--challenge and --client-data-hash exclude each other"
        ),
        (
            ["attestation", "verify", "--key-id", String(repeating: "0a", count: 32)],
            "--key-id takes base64; this is hexadecimal"
        ),
        (["attestation", "verify", "--attestation", "a.cbor"], "--attestation is not base64; @FILE reads a file"),
        (
            ["attestation", "verify", "--root", "/dev/null"],
            "--root takes exactly one certificate in PEM form, of an authority with a key of P-256, P-384 or P-521, "
                + "which /dev/null is not"
        ),
        (
            ["attestation", "verify", "--app-id", "bad"],
            "--app-id takes team and bundle, as in ABCDE12345.com.example.app, not 'bad'"
        ),
        (["attestation", "verify", "--at", "today"], "--at takes a time such as 2026-04-21T18:13:12Z, not 'today'"),
        (
            ["attestation", "verify", "--environment", "test"],
            "--environment takes production, development or any, not 'test'"
        ),
        (["attestation", "verify", "--key-id", "@key"], "--key-id is not base64, which is all that it takes"),
        (
            ["attestation", "verify", "--attestation", "@/no/such/file"],
            "/no/such/file cannot be read: No such file or directory"
        ),
        (["evidence", "verify", "--app-id", appID, "--evidence", "/"], "/ cannot be read: Is a directory"),
        (
            ["evidence", "verify", "--app-id", appID, "--evidence", "@none"],
            "@none cannot be read: No such file or directory; a file is named without @ here"
        ),
    ])
    func `what a command line lacks is named as its flag`(arguments: [String], words: String) async throws {
        let run = try await CommandLineRun(arguments)
        #expect(run.exitCode == 64 && run.errors.contains("Error: \(words)\n"), "\(run.errors)")
    }
}
