import ArgumentParser
import CaptureModel

/// `capturectl devices …`: who may send captures.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists devices, shows all that is known of one, revokes one, and notes a compromised key.",
        subcommands: [
            DevicesListCommand.self, DevicesShowCommand.self, DevicesRevokeCommand.self,
            DevicesCompromiseCommand.self, DevicesAffectedCommand.self,
        ]
    )
}

/// The id of a device on the command line.
struct DeviceArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The device's id.", valueName: "device"), transform: CommandValue.deviceID)
    var id: DeviceID
}
