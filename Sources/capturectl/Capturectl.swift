import ArgumentParser
import CaptureModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@main
struct Capturectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capturectl",
        abstract: "Operates capture-processor.",
        discussion: """
            Shell completion for bash (or zsh, fish):
              capturectl --generate-completion-script bash \\
                  >/etc/bash_completion.d/capturectl
            """,
        version: ProcessorVersion.current,
        subcommands: [
            MigrateCommand.self, SimulateCommand.self, AttestationCommand.self, AssertionCommand.self,
            ReceiptCommand.self, EvidenceCommand.self, BenchCommand.self, DeadCommand.self, PauseCommand.self,
            ResumeCommand.self,
            DoctorCommand.self, StatsCommand.self, WatchCommand.self, CapturesCommand.self, DevicesCommand.self,
            InvitationsCommand.self, SubmitCommand.self,
        ]
    )

    /// Runs the command that the arguments name.
    ///
    /// Help, version and completion scripts are answers as well: the parser would print them past a full disk.
    static func main() async {
        // A server that closes its socket must not end the command, and a reader who is gone is noticed by the write.
        signal(SIGPIPE, SIG_IGN)
        var isParsed = false
        do {
            var command = try await asyncParseAsRoot()
            isParsed = true
            if var asyncCommand = command as? any AsyncParsableCommand {
                try await asyncCommand.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError where isParsed {
            // Settings or files; the parser would add how the program as a whole is used.
            standardError("Error: \(error.message)\n")
            exit(withError: ExitCode.validationFailure)
        } catch {
            guard exitCode(for: error).isSuccess else { exit(withError: error) }
            // Of a command that there is not the parser would show what there is above it, as if all were well.
            if let word = strangeWord(in: Array(CommandLine.arguments.dropFirst())) {
                exit(withError: ValidationError("there is no subcommand '\(word)'"))
            }
            exit(withError: answered(fullMessage(for: error)))
        }
    }

    /// The word of a command line that stands where a subcommand has to, and names none.
    static func strangeWord(in words: [String]) -> String? {
        var command: any ParsableCommand.Type = Self.self
        for word in words.prefix(while: { !$0.hasPrefix("-") }).drop(while: { $0 == "help" }) {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty else { return nil }
            guard let next = subcommands.first(where: { names(of: $0).contains(word) }) else { return word }
            command = next
        }
        return nil
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command.configuration.commandName].compactMap(\.self) + command.configuration.aliases
    }

    /// Prints an answer of the parser's own; returns why it could not be written.
    private static func answered(_ text: String) -> ExitCode {
        guard !text.isEmpty else { return .success }
        do throws(ExitCode) {
            try printAnswer(text)
            return .success
        } catch {
            return error
        }
    }
}
