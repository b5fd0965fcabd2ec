import Foundation
import Testing

@Suite("Examples in the help", .timeLimit(.minutes(1)))
struct HelpExamplesTests {
    /// Help is wrapped at 80 columns, line break included, where it goes to no terminal: an example that is cut in two is
    /// not what it was.
    @Test func `examples in the help fit into a line of eighty columns`() async throws {
        let lines = try await DescribedCommand.root().withSubcommands.flatMap(\.exampleLines)
        #expect(lines.count > 60)
        for line in lines { #expect(line.count < 80, "\(line)") }
    }

    @Test func `examples in the help have no options but those of their commands`() async throws {
        let root = try await DescribedCommand.root()
        var examples = 0
        for command in root.withSubcommands {
            let text = command.exampleLines.joined(separator: "\n").replacingOccurrences(of: "\\\n", with: " ")
            for example in text.split(separator: "\n") {
                let words = example.split(separator: " ").map(String.init)
                guard let program = words.firstIndex(of: "capturectl") else { continue }
                // The parser's own, which no command lists.
                let known = try #require(root.options(of: words[(program + 1)...]))
                    .union(["--generate-completion-script"])
                for word in words where word.hasPrefix("--") { #expect(known.contains(word), "\(example)") }
                examples += 1
            }
        }
        #expect(examples > 40)
    }

    @Test func `help of every command has examples and its exit codes`() async throws {
        let commands = try await DescribedCommand.root().withWords.filter { words, command in
            (command.subcommands ?? []).isEmpty && words != ["help"]
        }
        #expect(commands.count > 30)
        for (words, command) in commands {
            #expect((command.discussion ?? "").contains("Exit codes: 0 "), "\(words)")
            let example = (["  capturectl"] + words).joined(separator: " ")
            #expect(command.exampleLines.contains { $0.hasPrefix(example) }, "\(words)")
        }
    }

    @Test(arguments: [["foo", "--help"], ["help", "foo"], ["dead", "foo", "--help"]])
    func `examples and help are there for no command that there is not`(arguments: [String]) async throws {
        let run = try await CommandLineRun(arguments)
        #expect(run.exitCode == 64 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.contains("there is no subcommand 'foo'"), "\(run.errors)")
    }
}
