import ArgumentParser

/// `capturectl bench`.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures this machine: the primitives, and the whole system on servers of its own.",
        subcommands: [
            BenchVerifyCommand.self, BenchDrainCommand.self, BenchLatencyCommand.self, BenchIngestCommand.self,
        ]
    )
}
