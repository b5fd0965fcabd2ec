import Foundation
import TestSupport
import Testing

/// Functions of `Config/local/install.sh`, with a `systemctl` that only notes what it is told.
@Suite("The installation's script", .timeLimit(.minutes(1)))
struct InstallScriptTests {
    private static let path = Repository.directory.appendingPathComponent("Config/local/install.sh").path

    /// Reads the script's functions and none of its commands, and has a machine with systemd that lacks Redis.
    private func run(_ commands: String) async throws -> RunbookBlock.Run {
        try await RunbookBlock(commands: commands).run(
            programs: ["systemctl": #"echo "$*" >>calls"#],
            before: """
                set -euo pipefail
                eval "$(sed -n '/^[a-z_]*() {.*}$/p; /^[a-z_]*() {[^}]*$/,/^}/p' '\(Self.path)')"
                as_root() { "$@"; }; has_systemd() { true; }
                missing=(redis-server); clusters=$PWD/clusters; mkdir clusters
                """)
    }

    private static let undone = [
        "--quiet --runtime mask redis-server.service", "--quiet --runtime unmask redis-server.service",
        "--quiet disable redis-server.service",
    ]

    private func calls(_ run: RunbookBlock.Run) -> [String] { run.calls.split(separator: "\n").map(String.init) }

    /// As a terminal does, to the script and to what it waits for.
    @Test(arguments: ["INT", "HUP", "TERM"])
    func `interrupted, it leaves no Redis that cannot be started`(signal: String) async throws {
        let run = try await run("undo_at_exit; without_redis sh -c 'kill -\(signal) $PPID; kill -\(signal) $$'")
        #expect(calls(run) == Self.undone, "\(run.output)")
        #expect(run.files["clusters"] == nil)
    }

    @Test func `a Redis that the machine has already is left as it is`() async throws {
        let run = try await run("missing=(postgresql); undo_at_exit; without_redis true")
        #expect(run.calls.isEmpty && run.files["clusters"] == nil, "\(run.output)")
    }

    @Test func `an installation that fails is undone, and its code stays`() async throws {
        let run = try await run("(undo_at_exit; without_redis sh -c 'exit 100') || echo \"ended with $?\"")
        #expect(calls(run) == Self.undone && run.output.contains("ended with 100"), "\(run.output)")
    }
}
