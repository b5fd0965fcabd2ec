import Foundation
import PrivateServers
import TestSupport
import Testing

/// A block of commands of the runbooks, which runs as it stands with scripts in place of the programs that it calls.
struct RunbookBlock {
    /// What a run has left.
    struct Run {
        let output: String
        /// What the scripts have noted: a line for each call.
        let calls: String
        /// The files of the run's directory, with what is in them.
        let files: [String: String]

        /// The paths below a folder, folders among them.
        func paths(below folder: String) -> [String] {
            files.keys.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }.sorted()
        }
    }

    let commands: String

    /// Commands of a test's own, as of a script that they read.
    init(commands: String) {
        self.commands = commands
    }

    /// The first block behind these words.
    init(after words: String) throws {
        let text = try Repository.text("Config/deploy/RUNBOOKS.md")
        let start = try #require(text.range(of: words)).upperBound
        let opening = try #require(text[start...].range(of: "```sh\n")).upperBound
        let closing = try #require(text[opening...].range(of: "\n```")).lowerBound
        commands = String(text[opening..<closing])
    }

    /// Runs it in an empty directory, in which `calls` is the file that the scripts note their calls in.
    func run(programs: [String: String], before: String, environment: [String: String] = [:]) async throws -> Run {
        let directory = try TemporaryDirectory.make("runbook")
        defer { try? FileManager.default.removeItem(at: directory) }
        let programsFolder = directory.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: programsFolder, withIntermediateDirectories: true)
        for (name, script) in programs {
            let file = programsFolder.appendingPathComponent(name)
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        let script =
            "cd \"$0\"; PATH=\"$0/bin:$PATH\"; CAPTURE_POSTGRES_URL=none CAPTURE_REDIS_URL=none\n"
            + "\(before)\n\(commands)\n"
        let run = try await LeashedProcess.run("bash", ["-c", script, directory.path], environment: environment)
        var files: [String: String] = [:]
        for path in FileManager.default.subpaths(atPath: directory.path) ?? [] {
            let contents = FileManager.default.contents(atPath: directory.appendingPathComponent(path).path)
            files[path] = String(decoding: contents ?? Data(), as: UTF8.self)
        }
        return Run(output: run.output, calls: files["calls"] ?? "", files: files)
    }
}
