import ArgumentParser
import CaptureModel

@main
struct Capturectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capturectl",
        abstract: "Operates capture-processor.",
        discussion: """
            Shell completion: capturectl --generate-completion-script bash >/etc/bash_completion.d/capturectl \
            (or zsh, fish).
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
}
