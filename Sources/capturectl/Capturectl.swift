import ArgumentParser
import CaptureModel

@main
struct Capturectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capturectl",
        abstract: "Operates capture-processor.",
        version: ProcessorVersion.current,
        subcommands: [
            MigrateCommand.self, SimulateCommand.self, AttestationCommand.self, AssertionCommand.self,
            ReceiptCommand.self, BenchCommand.self, DeadCommand.self, PauseCommand.self, ResumeCommand.self,
            DoctorCommand.self,
        ]
    )
}
