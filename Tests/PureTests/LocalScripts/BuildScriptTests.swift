import Foundation
import TestSupport
import Testing

/// `Config/local/build.sh` and `environment.sh`, which every script that builds and starts something reads.
@Suite("The scripts that build and start", .timeLimit(.minutes(1)))
struct BuildScriptTests {
    private func run(
        _ commands: String, with script: String, programs: [String: String] = [:], environment: [String: String] = [:]
    ) async throws -> RunbookBlock.Run {
        let path = Repository.directory.appendingPathComponent("Config/local/\(script).sh").path
        return try await RunbookBlock(commands: commands).run(
            programs: programs, before: "set -euo pipefail; script='\(path)'", environment: environment)
    }

    private func build(_ swift: String) async throws -> RunbookBlock.Run {
        let version = #"[ "$*" != --version ] || { echo 'Swift version 6.3.1'; exit 0; }"#
        return try await run(
            ". \"$script\"; build log --product one; echo built", with: "build",
            programs: ["swift": "\(version)\n\(swift)"])
    }

    @Test func `a build that succeeds says nothing, and is given its options`() async throws {
        let run = try await build(#"echo "$*" >>calls; echo compiling"#)
        #expect(run.output == "built" && run.calls == "build --product one\n", "\(run.output)")
    }

    @Test func `a build that fails shows each error once, then its last lines, and ends the script`() async throws {
        let run = try await build("echo 'a.swift: error: no'; echo 'a.swift: error: no'; echo end; exit 1")
        let lines = ["a.swift: error: no", "a.swift: error: no", "a.swift: error: no", "end"]
        #expect(run.output.split(separator: "\n").map(String.init) == lines)
    }

    /// As one that finds no package: the search for errors ended the script before that was shown.
    @Test func `a build that fails without an error in its log shows the last lines of it`() async throws {
        let run = try await build("echo 'Killed'; exit 137")
        #expect(run.output == "Killed")
    }

    @Test(arguments: [
        ("6.3", true), ("6.10.1", true), ("7.0", true), ("6.2.4", false), ("5.10.1", false),
    ])
    func `a Swift that is too old is told, with where to get another`(version: String, isGood: Bool) async throws {
        let run = try await run(
            "\"$script\" && echo good", with: "swift", programs: ["swift": "echo 'Swift version \(version) (x)'"])
        #expect((run.output == "good") == isGood, "\(run.output)")
        #expect(run.output.contains("https://www.swift.org/install") == !isGood, "\(run.output)")
    }

    /// Packages were installed first, and then a build failed that could not begin.
    @Test func `where there is no Swift, that is said before anything is installed`() async throws {
        let missing = "Swift 6.3 or newer is needed, and there is no swift in PATH: "
        let run = try await run("PATH=$PWD/none; exec /bin/bash \"$script\"", with: "swift")
        #expect(run.output.hasPrefix(missing), "\(run.output)")
        let broken = try await self.run(
            "\"$script\" && echo good", with: "swift", programs: ["swift": "echo no library >&2; exit 127"])
        #expect(broken.output.hasSuffix("swift --version says: no library"), "\(broken.output)")
        let install = try Repository.text("Config/local/install.sh")
        let asked = try #require(install.range(of: "/swift.sh\"\n"))
        let installs = try #require(install.range(of: "missing=()\n"))
        #expect(asked.upperBound < installs.lowerBound)
    }

    @Test func `settings of a stack reach nothing that is started beside it, and those of the tests stay`() async throws
    {
        let run = try await run(
            ". \"$script\"; env | grep '^CAPTURE_' | sort", with: "environment",
            environment: ["CAPTURE_REDIS_URL": "x", "CAPTURE_VECTORS_DIR": "x", "CAPTURE_TEST_LIMIT": "x"])
        let names = run.output.split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(names.contains("CAPTURE_VECTORS_DIR") && names.contains("CAPTURE_TEST_LIMIT"), "\(run.output)")
        #expect(names.allSatisfy { $0 == "CAPTURE_VECTORS_DIR" || $0.hasPrefix("CAPTURE_TEST_") }, "\(run.output)")
    }

    @Test(arguments: ["bench-check", "chaos", "test", "tsan"])
    func `whatever starts servers of its own reads no settings of another stack`(script: String) throws {
        let text = try Repository.text("Config/local/\(script).sh")
        #expect(text.contains("\n. Config/local/environment.sh\n") && !text.contains("unset "))
    }
}
