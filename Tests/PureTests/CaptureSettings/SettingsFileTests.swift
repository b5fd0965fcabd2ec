import CaptureModel
import CaptureSettings
import Foundation
import TestSupport
import Testing

@Suite("Files of settings")
struct SettingsFileTests {
    private static let minimum = SettingsTests.minimum
    private static let file = SettingsTests.file

    @Test func `the file in the repository says nothing but the defaults, and lists every key`() async throws {
        let defaults = try await SettingsTests.settings()
        #expect(try await SettingsTests.settings(["--config", Self.file]) == defaults)
        let text = try String(contentsOfFile: Self.file, encoding: .utf8)
        for setting in Setting.all {
            let name = setting.key.split(separator: ".").last.map(String.init) ?? ""
            #expect(text.contains("  \(name): ") || text.contains("  # \(name):"), "\(setting.key) is not in the file")
        }
    }

    /// The file names the words of a choice and of a form as well; `--help` has them beside the summary.
    @Test func `the file in the repository says of each key what the help says of it`() throws {
        let lines = try String(contentsOfFile: Self.file, encoding: .utf8).components(separatedBy: "\n")
        var heading = ""
        var comment: [String] = []
        var comments: [String: String] = [:]
        for line in lines {
            if let match = line.wholeMatch(of: /([a-z]+):/) {
                (heading, comment) = (String(match.output.1), [])
            } else if let match = line.wholeMatch(of: /[ ]{2}(?:# )?([A-Za-z]+):(?: .*)?/) {
                comments["\(heading).\(match.output.1)"] = comment.joined(separator: " ")
                comment = []
            } else if line.hasPrefix("  # ") {
                comment.append(String(line.dropFirst(4)))
            }
        }
        for setting in Setting.all where setting.key != "rollout.file" {
            switch setting.kind {
            case .choice, .form: #expect(comments[setting.key]?.isEmpty == false, "\(setting.key)")
            default: #expect(comments[setting.key] == setting.summary)
            }
        }
    }

    @Test func `which file was read is known, and that none was`() async throws {
        var environment = Self.minimum
        #expect(try await Settings(arguments: [], environment: environment).file == nil)
        environment["CAPTURE_CONFIG"] = Self.file
        #expect(try await Settings(arguments: [], environment: environment).file == Self.file)
        environment["CAPTURE_CONFIG"] = "/nonexistent"
        #expect(try await Settings(arguments: ["--config", Self.file], environment: environment).file == Self.file)
    }

    @Test func `a file that is left empty is none, and a flag without a name is refused`() async throws {
        let environment = Self.minimum.merging(["CAPTURE_CONFIG": ""]) { $1 }
        #expect(try await Settings(arguments: [], environment: environment).file == nil)
        #expect(await SettingsTests.refusal(["--config="]).contains("--config: takes a file, and is empty"))
    }

    @Test func `a key that does not exist is refused wherever it stands`() async throws {
        #expect(
            await SettingsTests.refusal([], Self.minimum.merging(["CAPTURE_QUEUE_LEESE": "8s"]) { $1 })
                == "CAPTURE_QUEUE_LEESE: there is no such setting; capture-gateway --help lists them")
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("c.yaml").path
        try "queue:\n  leese: 9s\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(await SettingsTests.refusal(["--config", file]).contains("queue.leese"))
    }

    @Test func `a file that is no YAML is told by the line, without what stands in it`() async throws {
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("c.yaml").path
        try "postgres:\n\turl: postgresql://u:hunter2@h/d\n".write(toFile: file, atomically: true, encoding: .utf8)
        let words = await SettingsTests.refusal(["--config", file])
        #expect(words.hasPrefix("\(file): cannot be read as YAML: line 2, "), "\(words)")
        #expect(!words.contains("hunter2"))
        // Yams's own words for this one quote the whole text.
        try "postgres:\n  url: postgresql://u:hunter2@h/d\n  url: b\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let twice = await SettingsTests.refusal(["--config", file])
        #expect(twice.contains("given more than once: url") && !twice.contains("hunter2"), "\(twice)")
    }
}
