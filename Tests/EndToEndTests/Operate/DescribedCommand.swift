import Foundation
import Testing

/// What `--experimental-dump-help` tells of a command, as far as tests look at it.
struct DescribedCommand: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable { let name: String }
        let names: [Name]?
        let valueName: String?
        let isOptional: Bool
    }

    private struct Help: Decodable { let command: DescribedCommand }

    let commandName: String
    let discussion: String?
    let arguments: [Argument]?
    let subcommands: [DescribedCommand]?

    /// `capturectl` itself.
    static func root() async throws -> DescribedCommand {
        let run = try await CommandLineRun(["--experimental-dump-help"])
        try #require(run.exitCode == 0)
        return try JSONDecoder().decode(Help.self, from: Data(run.output.utf8)).command
    }

    var withSubcommands: [DescribedCommand] { [self] + (subcommands ?? []).flatMap(\.withSubcommands) }

    /// This command and all below it, each with the words that lead there from here.
    var withWords: [(words: [String], command: DescribedCommand)] {
        var all: [(words: [String], command: DescribedCommand)] = [(words: [], command: self)]
        for below in subcommands ?? [] {
            for (words, command) in below.withWords {
                all.append((words: [below.commandName] + words, command: command))
            }
        }
        return all
    }

    /// The options of the command that words name.
    func options(of words: ArraySlice<String>) -> Set<String>? {
        if let subcommands, let next = words.first, !next.hasPrefix("-") {
            return subcommands.first { $0.commandName == next }?.options(of: words.dropFirst())
        }
        return Set((arguments ?? []).flatMap { $0.names ?? [] }.map { "--\($0.name)" })
    }

    /// The lines that are to be copied: those that are set in.
    var exampleLines: [String] {
        (discussion ?? "").split(separator: "\n").map(String.init).filter { $0.hasPrefix("  ") }
    }

    /// What the parser refuses to do without, as a usage line writes it.
    var required: [String] {
        (arguments ?? []).filter { !$0.isOptional }.map { argument in
            let value = "<\(argument.valueName ?? "")>"
            return argument.names?.last.map { "--\($0.name) \(value)" } ?? value
        }
    }
}
