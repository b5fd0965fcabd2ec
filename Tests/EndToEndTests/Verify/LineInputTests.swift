import Foundation
import TestSupport
import Testing

/// Whoever pipes questions in must not take the end of the answers for the end of the questions.
@Suite("Lines of standard input are answered to the end", .timeLimit(.minutes(1)))
struct LineInputTests {
    @Test func `lines of standard input are answered, or the exit code says that they cannot be read`() async throws {
        let run = try await LeashedProcess.run(
            "sh", ["-c", #"exec "$0" assertion verify --json-lines </"#, Programs.path("capturectl")])
        let words = "standard input cannot be read: Is a directory"
        #expect(run.exitCode == 74 && run.output.contains(words), "\(run.output)")
    }

    /// `dd` leaves the descriptor that it shares with the command as one that does not wait.
    @Test func `lines of standard input are answered although the descriptor does not wait for them`() async throws {
        let directory = try TemporaryDirectory.make("lines")
        defer { try? FileManager.default.removeItem(at: directory) }
        let script = #"""
            mkfifo "$1/in" "$1/out"
            { dd iflag=nonblock count=0; exec "$0" assertion verify --json-lines; } <"$1/in" >"$1/out" 2>/dev/null &
            exec 3>"$1/in" 4<"$1/out"
            for line in 1 2; do echo "{\"id\":$line}" >&3; read -r answer <&4; echo "$answer"; done
            exec 3>&-
            wait $!
            echo "ended with $?"
            """#
        let run = try await LeashedProcess.run("sh", ["-c", script, Programs.path("capturectl"), directory.path])
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 3, "\(run.output)")
        #expect(lines[0].contains(#""id":1"#) && lines[1].contains(#""id":2"#), "\(run.output)")
        #expect(lines[2] == "ended with 0")
    }

    @Test func `an id is repeated as it came, whatever JSON it is`() async throws {
        let ids = [
            "18446744073709551615", "123456789012345678901234567890", "1e300", "1.10", #""\u0061/\ud83d\ude00""#,
            #"{"b": [1.0], "a":null}"#, "null",
        ]
        let run = try await CommandLineRun(
            ["assertion", "verify", "--json-lines"],
            input: ids.map { "{\"app_id\":1,\"id\" : \($0) }\n" }.joined())
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == ids.count && run.exitCode == 0, "\(run.output) \(run.errors)")
        for (line, id) in zip(lines, ids) {
            #expect(line.hasPrefix("{\"id\":\(id),") && line.contains("FIELD_INVALID"), "\(line)")
        }
    }

    /// Many readers take a carriage return for the end of a line, and one that shows the answers has a terminal.
    @Test func `an id makes no line and steers no terminal`() async throws {
        let ids = ["[\r{\"id\":2,\"verdict\":\"accepted\"}\r]", "\"b\u{9B}2J\u{202E}\""]
        let run = try await CommandLineRun(
            ["assertion", "verify", "--json-lines"],
            input: ids.map { "{\"app_id\":1,\"id\":\($0)}\n" }.joined())
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == ids.count && run.exitCode == 0, "\(run.output) \(run.errors)")
        #expect(!run.output.unicodeScalars.contains { "\r\u{9B}\u{202E}".unicodeScalars.contains($0) })
        #expect(lines[0].hasPrefix(#"{"id":[ {"id":2,"verdict":"accepted"} ],"#), "\(run.output)")
        #expect(lines[1].hasPrefix(#"{"id":"b\u009b2J\u202e","#), "\(run.output)")
    }

    @Test(arguments: [
        ["attestation", "verify", "--environment", "prod"], ["attestation", "verify", "--at", "yesterday"],
        ["assertion", "verify", "--app-id", "nodots"], ["assertion", "verify", "--public-key", "?"],
        ["receipt", "verify", "--type", "attest"],
    ])
    func `a wrong flag is bad usage and no fault of every line`(arguments: [String]) async throws {
        let run = try await CommandLineRun(arguments + ["--json-lines"], input: "{\"id\":1}\n")
        let flag = try #require(arguments.first { $0.hasPrefix("--") })
        #expect(run.exitCode == 64 && run.output.isEmpty && run.errors.contains(flag), "\(run.output) \(run.errors)")
    }

    @Test func `a line that readers may read otherwise is none`() async throws {
        let lines = [
            #"{"id":1,"id":2}"#, #"{"id":1,"app_id":"a","app_\u0069d":"b"}"#, #"{"id":01}"#,
            #"{"id":1e400}"#, #"{"id":"\ud800"}"#,
            #"{"id":1,"environment":"\#(CostlyText.bytes(200_000))"}"#,
        ]
        let run = try await CommandLineRun(
            ["assertion", "verify", "--json-lines"], input: lines.joined(separator: "\n"))
        let answers = try run.objects()
        #expect(answers.map { $0["reason"] as? String } == lines.map { _ in "LINE_MALFORMED" }, "\(run.output)")
        #expect(answers.allSatisfy { $0["id"] is NSNull })
    }
}
