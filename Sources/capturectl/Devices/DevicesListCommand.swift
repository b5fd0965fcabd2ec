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
        usage: "capturectl devices list [<options>]",
        discussion: """
            Examples:
              capturectl devices list
              capturectl devices list --limit 500 --json
              capturectl devices list --after 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21

            \(CommandEnd.help)
            """
    )

    @OptionGroup var limit: LimitOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Go on after this device, which the list before has named.", valueName: "device"))
    var after: String?

    @OptionGroup var options: OperatorOptions

    func validate() throws {
        if let after, DeviceID(after) == nil { throw ValidationError("--after takes a device's id, not '\(after)'") }
    }

    func run() async throws {
        let (after, limit, json) = (after.flatMap { DeviceID($0) }, limit.count, options.json)
        try await OperatorSession.run(options, checksInstallation: false) { session in
            // One more than asked for tells whether there are more.
            let found = try await session.store.listDevices(after: after, limit: limit + 1)
            // After an unknown device the list is empty, which is not its end.
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
                try printAnswer(Self.text(devices, after: after, next: next, at: Timestamp.systemTime(), on: .current))
            }
            return true
        }
    }

    /// The table, and how to go on.
    static func text(
        _ devices: [ListedDevice], after: DeviceID?, next: DeviceID?, at now: Timestamp, on terminal: Terminal
    ) -> String {
        guard !devices.isEmpty else { return after == nil ? "no devices" : "no more devices" }
        // 80 columns have no room for the time of registration and the environment.
        let isWide = terminal.columns.map { $0 >= 105 } ?? true
        var columns: [(title: String, alignment: TextTable.Alignment)] = [("device", .leading)]
        if isWide { columns.append(("registered", .trailing)) }
        columns.append(("level", .leading))
        if isWide { columns.append(("environment", .leading)) }
        columns += [("model", .leading), ("state", .leading)]
        let (model, state) = (columns.count - 2, columns.count - 1)
        var table = TextTable(columns) { column, text in column == state && text != "active" ? .bad : nil }
        for listed in devices {
            let device = listed.device
            var row = ["\(device.id)"]
            if isWide { row.append("\(TerminalText.age(now.since(device.registeredAt))) ago") }
            row.append(device.level.rawValue)
            if isWide { row.append(device.environment?.rawValue ?? "") }
            row += [
                device.model,
                listed.compromisedSince != nil ? "compromised" : device.revokedAt == nil ? "active" : "revoked",
            ]
            table.append(row)
        }
        return table.text(for: terminal, flexible: model) + (next.map { "\n\nmore: --after \($0)" } ?? "")
    }
}
