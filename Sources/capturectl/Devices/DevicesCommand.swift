import ArgumentParser
import CaptureModel

/// `capturectl devices …`: who may send captures.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists devices, shows all that is known of one, and revokes one.",
        subcommands: [
            DevicesListCommand.self, DevicesShowCommand.self, DevicesRevokeCommand.self,
            DevicesCompromiseCommand.self, DevicesAffectedCommand.self,
        ]
    )
}

/// The id of a device on the command line.
struct DeviceArgument: ParsableArguments {
    @Argument(help: "The device's id.")
    var device: String

    func validate() throws {
        guard DeviceID(device) != nil else { throw ValidationError("'\(device)' is not a device's id") }
    }

    /// The id, which has been looked at before.
    var id: DeviceID? { DeviceID(device) }
}
