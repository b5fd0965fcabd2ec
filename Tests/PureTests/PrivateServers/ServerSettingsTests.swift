import Foundation
import PrivateServers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `Private servers` {
    /// What is read of a file with a text.
    private func settings(_ text: String, read: (String) throws -> [String]) throws -> [String] {
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "server.conf").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return try read(path)
    }

    @Test func `a setting of Redis is words, and an empty value one of them`() throws {
        let text = "# why\nappendonly yes\n\nsave \"\"\nclient-output-buffer-limit replica 1gb 512mb 120\n"
        let settings = try settings(text) { try ServerSettings.redis(file: $0) }
        #expect(
            settings == [
                "--appendonly", "yes", "--save", "", "--client-output-buffer-limit", "replica", "1gb", "512mb", "120",
            ])
    }

    @Test func `a setting of PostgreSQL is one argument, without its quotes`() throws {
        let settings = try settings("fsync = on\n# off\ntimezone = 'UTC'\njit=off\n") {
            try ServerSettings.postgres(file: $0)
        }
        #expect(settings == ["fsync=on", "timezone=UTC", "jit=off"])
    }

    @Test func `the settings of production are read`() throws {
        let config = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Config").path
        #expect(try ServerSettings.redis(file: "\(config)/redis.conf").starts(with: ["--appendonly", "yes"]))
        let postgres = try ServerSettings.postgres(file: "\(config)/postgresql.conf")
        // The DETAIL of an error would show rows in the server's log.
        #expect(postgres.contains("synchronous_commit=on") && postgres.contains("log_error_verbosity=terse"))
    }

    @Test func `a port is given once, and is none that a system gives to connections`() throws {
        let ports = try (0..<1_000).map { _ in try FreePort.take() }
        #expect(Set(ports).count == ports.count)
        #expect(ports.allSatisfy { (1024..<32_768).contains($0) })
    }

    @Test func `a line that does not come in time is told with the last ones, and the child is gone`() async throws {
        let shell = try LeashedProcess("sh", ["-c", "echo working; exec tail -f /dev/null"])
        try await shell.line(containing: "working", within: .seconds(60))
        let failure = await #expect(throws: LeashedProcess.Failure.self) {
            try await shell.line(containing: "ready", within: .milliseconds(200))
        }
        #expect(failure?.description.contains("'ready':\nworking") == true, "\(String(describing: failure))")
        #expect(try await shell.exitCode() == 128 + SIGKILL)
    }

    @Test func `a child's end is told though what it started has its output still`() async throws {
        let shell = try LeashedProcess("sh", ["-c", "tail -f /dev/null & echo started $!; exit 3"])
        let started = try await shell.line(containing: "started").split(separator: " ").last.flatMap { Int32($0) }
        defer { if let started { kill(started, SIGKILL) } }
        #expect(try await shell.exitCode() == 3)
        #expect(kill(try #require(started), 0) == 0)
    }

    @Test func `who waits for a child is let go when cancelled`() async throws {
        let shell = try LeashedProcess("sh", ["-c", "echo working; exec tail -f /dev/null"])
        try await shell.line(containing: "working")
        let waiting = Task { try await shell.exitCode() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await shell.kill()
    }

    @Test func `the processor time of a child is counted while it runs`() async throws {
        let shell = try LeashedProcess("sh", ["-c", "while :; do :; done"])
        try await eventually { (shell.figures()?.processorTime ?? .zero) > .milliseconds(50) }
        #expect(try #require(shell.figures()).peakMemoryBytes > 0)
        try await shell.kill()
        #expect(shell.figures() == nil)
    }
}
