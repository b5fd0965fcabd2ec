import ArgumentParser
import Testing

@testable import capturectl

/// An option without one would take the shell's own completion of files away.
@Suite("What the shell completes")
struct CompletionTests {
    private static let script = Capturectl.completionScript(for: .bash).split(separator: "\n")

    /// What the script does at an option of a command.
    private static func completion(of option: String, in command: String) throws -> String {
        let function = try #require(script.firstIndex(of: "_capturectl_\(command)() {"), "\(command)")
        let body = script[function...].prefix { $0 != "}" }
        // Names of one option share a case.
        let place = try #require(
            body.firstIndex { $0.hasSuffix(")") && $0.contains("'--\(option)'") }, "\(command) --\(option)")
        return body[place...].dropFirst().prefix { !$0.hasSuffix(";;") }.joined(separator: "\n")
    }

    @Test(arguments: [
        ("stats", ["config"]), ("migrate", ["config"]), ("submit", ["photo", "depth", "assertion", "metadata"]),
        ("evidence_verify", ["evidence", "photo", "depth", "root"]), ("attestation_verify", ["root"]),
        ("receipt_verify", ["root"]), ("simulate_run", ["ca"]), ("simulate_apple", ["ca", "key"]),
        ("simulate_bundle", ["ca"]),
    ])
    func `files are where an option takes one`(command: String, options: [String]) throws {
        for option in options {
            let completion = try Self.completion(of: option, in: command)
            #expect(completion.contains("add_completions -f"), "\(option): \(completion)")
        }
    }

    @Test func `words are where an option takes one of a few`() throws {
        let lists = [
            ("attestation_verify", "environment", ["production", "development", "any"]),
            ("receipt_verify", "type", ["ATTEST", "RECEIPT", "any"]),
            ("captures_list", "confidence", ["high", "medium", "low"]),
            ("simulate_bundle", "binding", ["concat-v1", "framed-v2"]),
        ]
        for (command, option, words) in lists {
            let completion = try Self.completion(of: option, in: command)
            #expect(words.allSatisfy { completion.contains($0) }, "\(option): \(completion)")
        }
    }
}
