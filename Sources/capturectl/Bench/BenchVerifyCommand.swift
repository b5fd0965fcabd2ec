import ArgumentParser

/// `capturectl bench verify`.
struct BenchVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Measures verification on one core, next to the bare primitives.",
        discussion: """
            Makes its own certificate authority and devices; needs no server and no vectors. Each number is the median \
            of several rounds, in processor time, so that other work on the machine counts little. Build with -c release \
            for numbers that mean something.

            The limits are half a second for an attestation, 50 ms for the signature of a request and 10 ms for a \
            challenge.

            Examples:
              capturectl bench verify
              capturectl bench verify --seconds 30 --json

            \(BenchCommand.limitHelp)
            """
    )

    @Option(help: "Seconds in all, 1 to 600.")
    var seconds = 10.0

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func validate() throws {
        guard (1...600).contains(seconds) else { throw ValidationError("--seconds takes 1 to 600") }
    }

    func run() throws {
        let report = try VerifyBench(seconds: seconds).run()
        try printAnswer(json ? JSONText.write(report) : report.text)
        guard report.excesses.isEmpty else {
            standardError(report.excesses.joined(separator: "\n") + "\n")
            throw ExitCode.failure
        }
    }
}
