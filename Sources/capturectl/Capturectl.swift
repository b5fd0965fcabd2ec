import ArgumentParser
import CaptureModel
import Glibc

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
        version: "\(ProgramName.capturectl) \(ProcessorVersion.current)",
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
    /// Help, version and completion scripts are printed here, as the parser would not notice a full disk.
    static func main() async {
        // A server that closes its socket must not end the command; the write itself notices a reader that is gone.
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
            // The fault is in settings or files: the parser would add the usage of the program as a whole.
            standardError("Error: \(error.message)\n")
            exit(withError: ExitCode.validationFailure)
        } catch {
            guard exitCode(for: error).isSuccess else { exit(withError: error) }
            // For an unknown command the parser would show the help of its parent, as if all were well.
            if let word = strangeWord(in: Array(CommandLine.arguments.dropFirst())) {
                exit(withError: ValidationError("there is no subcommand '\(word)'"))
            }
            exit(withError: answered(fullMessage(for: error)))
        }
    }

    /// The word of a command line that should name a subcommand, and names none.
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

    /// Prints the parser's own answer; returns the exit code, also if it could not be written.
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
