import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore
import PostgresCaptureStore

/// `capturectl devices list`.
struct DevicesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists devices, newest first.",
        discussion: """
            Examples:
              capturectl devices list
              capturectl devices list --limit 500 --json
              capturectl devices list --after 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21

            \(CommandEnd.help)
            """
    )

    @OptionGroup var limit: LimitOption

    @Option(help: ArgumentHelp("Go on after this device, which the list before has named.", valueName: "device"))
    var after: String?

    @OptionGroup var options: OperatorOptions

    func validate() throws {
        if let after, DeviceID(after) == nil { throw ValidationError("--after takes a device's id, not '\(after)'") }
    }

    func run() async throws {
        let (after, limit, json) = (after.flatMap { DeviceID($0) }, limit.count, options.json)
        try await OperatorSession.run(options, isForBoth: false) { session in
            // One more than asked for tells whether there are more.
            let found = try await session.store.listDevices(after: after, limit: limit + 1)
            // After a device that does not exist comes nothing, which is no end of the list.
            if found.isEmpty, let after, try await session.store.devices([after]).isEmpty {
                standardError("capturectl: no device \(after): begin again, without --after\n")
                return false
            }
            let devices = Array(found.prefix(limit))
            let next = found.count > limit ? devices.last?.device.id : nil
            if json {
                let lines = devices.map { DeviceDocument($0.device, compromisedSince: $0.compromisedSince) }
                try printAnswer(JSONText.write(ListPage(name: "devices", rows: lines, next: next?.description)))
            } else {
                try printAnswer(Self.text(devices, after: after, next: next, on: .current))
            }
            return true
        }
    }

    private static func text(
        _ devices: [ListedDevice], after: DeviceID?, next: DeviceID?, on terminal: Terminal
    ) -> String {
        guard !devices.isEmpty else { return after == nil ? "no devices" : "no more devices" }
        let now = Timestamp.systemTime()
        var table = TextTable(
            [
                ("device", .leading), ("registered", .trailing), ("level", .leading), ("environment", .leading),
                ("model", .leading), ("state", .leading),
            ]
        ) { column, text in column == 5 && text != "active" ? .bad : nil }
        for listed in devices {
            let device = listed.device
            table.append([
                "\(device.id)", "\(Wording.age(now.since(device.registeredAt))) ago", device.level.rawValue,
                device.environment?.rawValue ?? "", device.model,
                listed.compromisedSince != nil ? "compromised" : device.revokedAt == nil ? "active" : "revoked",
            ])
        }
        return table.text(for: terminal, flexible: 4) + (next.map { "\n\nmore: --after \($0)" } ?? "")
    }
}
