import Foundation
import PrivateServers
import TestSupport
import Testing

@Suite("Leashed processes", .timeLimit(.minutes(5)))
struct LeashedProcessTests {
    /// The threads that read from a child and reap it must not hold its process object meanwhile.
    @Test func `a child that nobody holds any more is killed`() async throws {
        let child = try await startedAndLetGo()
        try await eventually { kill(child, 0) == -1 }
    }

    private func startedAndLetGo() async throws -> Int32 {
        let shell = try LeashedProcess("sh", ["-c", "echo number $$; exec tail -f /dev/null"])
        let line = try await shell.line(containing: "number")
        return try #require(line.split(separator: " ").last.flatMap { Int32($0) })
    }

    /// A quick child would print before a leash that tells the child's number, or in the middle of that line.
    @Test func `what a child prints is told as it is, however quick it is`() async throws {
        for _ in 0..<200 {
            let run = try await LeashedProcess.run("printf", ["no end"])
            #expect(run.exitCode == 0 && run.output == "no end")
        }
    }

    @Test func `a child starts in the directory that it is given, whatever its name`() async throws {
        let folder = try TemporaryDirectory.make("child")
        defer { try? FileManager.default.removeItem(at: folder) }
        let odd = folder.appendingPathComponent("it's $(echo one)")
        try FileManager.default.createDirectory(at: odd, withIntermediateDirectories: true)
        try Data("found".utf8).write(to: odd.appendingPathComponent("file"))
        let run = try await LeashedProcess.run("cat", ["file"], directory: odd)
        #expect(run.exitCode == 0 && run.output == "found", "\(run.output)")
        let missing = try await LeashedProcess.run(
            "echo", ["started"], directory: folder.appendingPathComponent("missing"))
        #expect(missing.exitCode == 127 && !missing.output.contains("started"))
    }

    @Test func `a last line without an end is told like the others`() async throws {
        let script = "trap 'kill $!; printf last; exit 0' TERM; tail -f /dev/null & echo ready; wait"
        let shell = try LeashedProcess("sh", ["-c", script])
        try await shell.line(containing: "ready")
        shell.signal(SIGTERM)
        #expect(try await shell.exitCode() == 0)
        #expect(shell.output == "ready\nlast")
    }

    @Test func `signals that are sent to a child that is only starting reach it`() async throws {
        let shell = try LeashedProcess("sh", ["-c", "echo working; exec tail -f /dev/null"])
        for signal in [SIGSTOP, SIGCONT, SIGTERM] { shell.signal(signal) }
        #expect(try await shell.exitCode() == 128 + SIGTERM)
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

    @Test func `a last line without an end is told though what the child started has its output still`() async throws {
        let shell = try LeashedProcess("sh", ["-c", "tail -f /dev/null & echo started $!; printf last"])
        let started = try await shell.line(containing: "started").split(separator: " ").last.flatMap { Int32($0) }
        defer { if let started { kill(started, SIGKILL) } }
        #expect(try await shell.exitCode() == 0)
        #expect(shell.output.hasSuffix("\nlast"), "\(shell.output)")
    }

    @Test func `a child's end is told though what it started prints for ever`() async throws {
        let script = "{ while :; do echo more; done; } & echo started $!; exit 3"
        let shell = try LeashedProcess("sh", ["-c", script])
        let line = try await shell.line { $0.hasPrefix("started ") }
        let started = try #require(line.split(separator: " ").last.flatMap { Int32($0) })
        defer { kill(started, SIGKILL) }
        #expect(try await shell.exitCode() == 3)
        #expect(kill(started, 0) == 0)
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
