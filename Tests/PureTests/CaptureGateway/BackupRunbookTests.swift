import Foundation
import PrivateServers
import TestSupport
import Testing

@Suite("The runbook's backup", .timeLimit(.minutes(1)))
struct BackupRunbookTests {
    private static let idle = #"{"leased_lanes":0,"paused":true}"#

    /// What stands in for the programs; `sleep` lets a minute pass at once.
    private static let programs = [
        "capturectl": #"""
        echo "$1" >>calls; [ "$1" != stats ] || printf '%s' "$STATS"; [ "$1" != stats ] || exit "$STATS_CODE"
        """#,
        "pg_dump": #"echo a dump; exit "$DUMP_CODE""#, "sleep": "exit 0",
    ]

    /// Runs the runbook's block as it stands over a bundle directory with a bundle, and a file that is being written.
    private func backUp(
        stats: String = Self.idle, statsCode: Int = 0, dumpCode: Int = 0, before: String = ":"
    ) async throws -> (output: String, calls: String, copied: [String]) {
        let directory = try TemporaryDirectory.make("backup")
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, script) in Self.programs {
            let file = directory.appendingPathComponent("bin/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        let text = try Repository.text("Config/deploy/RUNBOOKS.md")
        let block = try #require(text.firstMatch(of: /\*\*Backing up\*\*(?s:.*?)```sh\n((?s:.*?))\n```/)).output.1
        let script = """
            cd "$0"; PATH="$0/bin:$PATH" BUNDLES="$0/bundles" CAPTURE_POSTGRES_URL=none
            mkdir -p bundles/ab/c; echo photo >bundles/ab/c/photo.1; echo half >bundles/ab/c/depth.1.partial-2
            \(before)
            \(block)
            """
        let run = try await LeashedProcess.run(
            "bash", ["-c", script, directory.path],
            environment: ["STATS": stats, "STATS_CODE": "\(statsCode)", "DUMP_CODE": "\(dumpCode)"])
        let calls = directory.appendingPathComponent("calls").path
        let copy = directory.appendingPathComponent("bundles.backup").path
        return (
            run.output, FileManager.default.contents(atPath: calls).map { String(decoding: $0, as: UTF8.self) } ?? "",
            FileManager.default.subpaths(atPath: copy)?.sorted() ?? []
        )
    }

    private func isComplete(_ output: String) -> Bool { output.hasSuffix("the backup is complete") }

    @Test func `copies what is whole, and resumes`() async throws {
        let run = try await backUp()
        #expect(isComplete(run.output), "\(run.output)")
        #expect(run.copied == ["ab", "ab/c", "ab/c/photo.1"])
        #expect(run.calls.hasPrefix("pause\n") && run.calls.hasSuffix("resume\n"), "\(run.calls)")
    }

    /// jq 1.6 is content with no input at all.
    @Test func `is none where the queue cannot be asked, or does not come to rest`() async throws {
        for (stats, code) in [("", 69), (#"{"leased_lanes":1,"paused":true}"#, 0)] {
            let run = try await backUp(stats: stats, statsCode: code)
            #expect(!isComplete(run.output) && run.output.contains("lanes are still in work"), "\(run.output)")
            #expect(run.copied.isEmpty && !run.calls.contains("resume"))
        }
    }

    @Test func `is none where the queue was not paused all the while, or the record is not whole`() async throws {
        let awake = try await backUp(stats: #"{"leased_lanes":0,"paused":false}"#)
        #expect(!isComplete(awake.output) && awake.output.contains("false"), "\(awake.output)")
        let cut = try await backUp(dumpCode: 1)
        #expect(!isComplete(cut.output), "\(cut.output)")
    }

    @Test func `never goes into an older one, and is none where files cannot be read`() async throws {
        let again = try await backUp(before: "mkdir bundles.backup")
        #expect(!isComplete(again.output) && again.copied.isEmpty && again.calls.isEmpty, "\(again.output)")
        let lost = try await backUp(before: "BUNDLES=none")
        #expect(!isComplete(lost.output), "\(lost.output)")
    }
}
