import ArgumentParser

/// `capturectl simulate`: devices without hardware, for demonstrations and tests of a running stack.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Registers simulated devices with a gateway and sends captures.",
        discussion: """
            The gateway has to trust the root of the certificate authority: make one with `simulate authority`, and name \
            its root.pem among the gateway's trust roots (app.roots).
            """,
        subcommands: [
            SimulateRunCommand.self, SimulateBundleCommand.self, SimulateAuthorityCommand.self,
            SimulateAppleCommand.self,
        ],
        defaultSubcommand: SimulateRunCommand.self
    )
}
