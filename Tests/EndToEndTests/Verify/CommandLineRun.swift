import Foundation
import TestSupport

/// One run of `capturectl` with its input from a file and its output to files, so that no pipe can fill up.
struct CommandLineRun {
    let exitCode: Int32
    let output: String
    let errors: String

    /// Runs the program beside the tests to its end.
    init(_ arguments: [String], input: String = "", environment: [String: String] = [:]) async throws {
        let directory = try TemporaryDirectory.make("ctl")
        defer { try? FileManager.default.removeItem(at: directory) }
        let names = ["input", "output", "errors"].map(directory.appendingPathComponent)
        try Data(input.utf8).write(to: names[0])
        let redirect = #"input=$1 output=$2 errors=$3; shift 3; exec "$@" <"$input" >"$output" 2>"$errors""#
        exitCode = try await LeashedProcess.run(
            "sh", ["-c", redirect, "sh"] + names.map(\.path) + [Programs.path("capturectl")] + arguments,
            environment: environment
        ).exitCode
        output = try String(contentsOf: names[1], encoding: .utf8)
        errors = try String(contentsOf: names[2], encoding: .utf8)
    }

    /// The lines of the output as JSON objects.
    func objects() throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
    }
}
