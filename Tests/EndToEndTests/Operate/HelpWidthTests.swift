import TestSupport
import Testing

@Suite("Lines of the help", .timeLimit(.minutes(3)))
struct HelpWidthTests {
    /// The parser wraps all but the usage, which it would write in one line with all options.
    @Test func `lines of the help of every command fit into eighty columns, and name what it cannot do without`()
        async throws
    {
        let commands = try await DescribedCommand.root().withWords
        #expect(commands.count > 40)
        #expect(commands.count { !$0.command.required.isEmpty } > 5)
        for (words, command) in commands {
            let run = try await CommandLineRun(words + ["--help"], environment: ["COLUMNS": "80"])
            try #require(run.exitCode == 0, "\(words)")
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
            expectNarrow(lines)
            let usage = lines.drop(while: { !$0.hasPrefix("USAGE: ") }).prefix(while: { !$0.isEmpty })
                .joined(separator: "\n")
            for argument in command.required { #expect(usage.contains(argument), "\(usage)") }
        }
    }

    @Test(arguments: ["capture-gateway", "capture-worker", "capture-chaos"])
    func `lines of the help of the other programs fit into eighty columns`(program: String) async throws {
        let run = try await LeashedProcess.run(Programs.path(program), ["--help"], environment: ["COLUMNS": "80"])
        let lines = run.output.split(separator: "\n")
        #expect(run.exitCode == 0 && lines.count > 10)
        expectNarrow(lines)
    }

    @Test func `lines of the help of make fit into eighty columns, and every target has one`() async throws {
        // Below the make that runs the tests it would say which directory it enters.
        let run = try await LeashedProcess.run(
            "make", ["help"], environment: ["MAKEFLAGS": "", "MAKELEVEL": "0"], directory: Repository.directory)
        let lines = run.output.split(separator: "\n")
        #expect(run.exitCode == 0)
        expectNarrow(lines)
        let makefile = try Repository.text("Makefile").split(separator: "\n")
        let targets = try #require(makefile.first { $0.hasPrefix(".PHONY: ") }).split(separator: " ").dropFirst()
        #expect(targets.count > 10)
        for target in targets { #expect(lines.contains { $0.hasPrefix("  make \(target) ") }, "\(target)") }
    }

    private func expectNarrow(_ lines: [Substring], sourceLocation: SourceLocation = #_sourceLocation) {
        for line in lines { #expect(line.count <= 80, "\(line)", sourceLocation: sourceLocation) }
    }
}
