import CaptureModel
import Foundation
import TestSupport
import Testing

/// Whoever has an answer written to a full disk must not take an empty file for it.
@Suite("An answer that cannot be written", .timeLimit(.minutes(5)))
struct UnwrittenAnswerTests {
    /// Runs a command whose output goes to a disk that is always full.
    private func runFull(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> (exitCode: Int32, output: String) {
        try await LeashedProcess.run(
            "sh", ["-c", #"exec "$0" "$@" >/dev/full"#, Programs.path("capturectl")] + arguments,
            environment: environment)
    }

    private func isTold(
        _ run: (exitCode: Int32, output: String), _ words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(run.exitCode == 74, "\(words): \(run.output)", sourceLocation: sourceLocation)
        #expect(
            run.output.contains("capturectl: standard output takes nothing more"), "\(words): \(run.output)",
            sourceLocation: sourceLocation)
    }

    @Test func `an answer that cannot be written is no success of a command that asks servers`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        _ = try await phone.settled(capture)
        let commands = [
            ["captures", "evidence", "\(capture)"], ["captures", "list"], ["captures", "show", "\(capture)", "--json"],
            ["devices", "list"], ["devices", "show", "\(phone.id)"], ["devices", "affected", "\(phone.id)"],
            ["devices", "revoke", "\(phone.id)", "--reason", "lost", "--dry-run"],
            ["devices", "compromise", "\(phone.id)", "--since", "2020-01-01T00:00:00Z", "--reason", "x", "--dry-run"],
            ["invitations", "create"], ["invitations", "list", "--json"], ["stats"], ["watch", "--count", "1"],
            ["doctor"], ["dead", "list"], ["dead", "list", "--group"], ["dead", "redrive", "--all"], ["pause"],
            ["resume"], ["migrate"], ["migrate", "--down-to", "0", "--dry-run"],
        ]
        for words in commands { isTold(try await runFull(words, stack.environment), words) }
        for process in [gateway, worker] { try await process.kill() }
    }

    @Test func `an answer that cannot be written is no success of a command that asks nobody`() async throws {
        let folder = try TemporaryDirectory.make("unwritten")
        defer { try? FileManager.default.removeItem(at: folder) }
        let words = ["simulate", "authority", folder.path]
        isTold(try await runFull(words), words)
        let question = ["assertion", "verify", "--json-lines"]
        let lines = try await LeashedProcess.run(
            "sh", ["-c", #"echo '{}' | "$0" "$@" >/dev/full"#, Programs.path("capturectl")] + question)
        isTold(lines, question)
    }

    @Test(arguments: [["--help"], ["--version"], ["help", "stats"], ["--generate-completion-script", "bash"]])
    func `an answer that cannot be written is no success of what the parser itself answers`(words: [String])
        async throws
    {
        isTold(try await runFull(words), words)
    }

    @Test(arguments: ["capture-gateway", "capture-worker"], ["--help", "--version", "--print-settings"])
    func `an answer that cannot be written is no success of gateway and worker`(program: String, flag: String)
        async throws
    {
        let directory = try TemporaryDirectory.make("unwritten")
        defer { try? FileManager.default.removeItem(at: directory) }
        let environment = ["CAPTURE_APP_IDS": Stack.appID]
        let run = try await LeashedProcess.run(
            "sh", ["-c", #"exec "$0" "$1" >/dev/full"#, Programs.path(program), flag], environment: environment)
        let fault = "\(program): standard output takes nothing more: No space left on device"
        #expect(run.exitCode == 74 && run.output.hasSuffix(fault), "\(run.output)")
        try await ends(flag, with: 141, directory, environment, of: program)
    }

    /// A command says first what it is about to do; if nobody can read that, it does nothing.
    @Test func `an answer that cannot be written keeps from what would have been done after it`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let words = ["devices", "revoke", "\(phone.id)", "--reason", "lost", "--yes"]
        isTold(try await runFull(words, stack.environment), words)
        let (_, device) = try await stack.capturectlJSON("devices", "show", "\(phone.id)")
        #expect(device["revoked_at"] is NSNull)
        try await gateway.kill()
    }

    @Test func `an answer that cannot be written ends a command as SIGPIPE would where its reader is gone`()
        async throws
    {
        let stack = try await Stack.start()
        try await ends("stats", with: 141, stack.directory, stack.environment)
    }

    /// Only words are lost: the exit code says the same.
    @Test func `an answer that cannot be written ends a command for its own reason where nobody reads its complaint`()
        async throws
    {
        let directory = try TemporaryDirectory.make("complaint")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await ends("no-such-command 2>&1", with: 64, directory)
    }

    private func ends(
        _ words: String, with code: Int, _ directory: URL, _ environment: [String: String] = [:],
        of program: String = "capturectl"
    ) async throws {
        // The reader has ended for certain when the command starts.
        let script =
            #"{ read go <&3; "$0" \#(words); echo "ended with $?" >&2; } 3<"$1" | { exec <&-; echo go >"$1"; }"#
        let fifo = directory.appendingPathComponent("go").path
        let run = try await LeashedProcess.run(
            "sh", ["-c", "mkfifo \"$1\"; \(script)", Programs.path(program), fifo], environment: environment)
        #expect(run.output.split(separator: "\n").last == "ended with \(code)", "\(run.output)")
    }
}
