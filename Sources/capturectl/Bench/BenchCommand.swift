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

    /// For the help of each benchmark that has no limits.
    static let help = """
        Exit codes: 0 measured; 1 it could not be measured; 64 bad usage; 74 the answer could not be written; 130 \
        and 143 Ctrl-C or SIGTERM ended it, and there is no answer.
        """

    /// For the help of each benchmark with limits.
    static let limitHelp = """
        Exit codes: 0 measured; 1 a limit is exceeded, or it could not be measured; 64 bad usage; 74 the answer could \
        not be written; 130 and 143 Ctrl-C or SIGTERM ended it, and there is no answer.
        """
}
