import Foundation
import TestSupport
import Testing

/// Whoever pipes questions in must not take the end of the answers for the end of the questions.
@Suite("Lines of standard input are answered to the end", .timeLimit(.minutes(1)))
struct LineInputTests {
    @Test func `or the exit code says that they cannot be read`() async throws {
        let run = try await LeashedProcess.run(
            "sh", ["-c", #"exec "$0" assertion verify --json-lines </"#, Programs.path("capturectl")])
        #expect(run.exitCode == 74 && run.output.contains("standard input cannot be read"), "\(run.output)")
    }

    /// `dd` leaves the descriptor that it shares with the command as one that does not wait.
    @Test func `although the descriptor does not wait for them`() async throws {
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
}
