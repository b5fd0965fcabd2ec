import ArgumentParser
import CaptureModel
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

    @Option(help: "The most that are listed, 1 to 500.")
    var limit = 50

    @Option(help: ArgumentHelp("Go on after this device, which the list before has named.", valueName: "device"))
    var after: String?

    @OptionGroup var options: OperatorOptions

    func validate() throws {
        guard (1...500).contains(limit) else { throw ValidationError("--limit takes 1 to 500") }
        if let after, DeviceID(after) == nil { throw ValidationError("--after takes a device's id, not '\(after)'") }
    }

    func run() async throws {
        let (after, limit, json) = (after.flatMap { DeviceID($0) }, limit, options.json)
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
                let lines = devices.map { DeviceLine($0.device, compromisedSince: $0.compromisedSince) }
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

/// A device as JSON, by the names that `GET /api/v1/devices` has for the same.
///
/// One type for both would stand beside `AttestationDocument` in CaptureOperations, which gateway and command import.
struct DeviceLine: Encodable {
    private let device: Device
    private let compromisedSince: Timestamp?

    init(_ device: Device, compromisedSince: Timestamp?) {
        self.device = device
        self.compromisedSince = compromisedSince
    }

    private enum CodingKeys: String, CodingKey {
        case id = "device_id"
        case keyID = "key_id"
        case level = "attestation_level"
        case environment, algorithm, platform, model, reason
        case appID = "app_id"
        case trustRoot = "trust_root"
        case hasLidar = "has_lidar"
        case registeredAt = "registered_at"
        case revokedAt = "revoked_at"
        case compromisedSince = "compromised_since"
        case riskMetric = "risk_metric"
        case riskMetricAt = "risk_metric_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("\(device.id)", forKey: .id)
        try container.encode("\(device.keyID)", forKey: .keyID)
        try container.encode(device.level.rawValue, forKey: .level)
        try container.encode(device.environment?.rawValue, forKey: .environment)
        try container.encode(device.algorithm.rawValue, forKey: .algorithm)
        try container.encode(device.platform, forKey: .platform)
        try container.encode(device.model, forKey: .model)
        try container.encode(device.appID, forKey: .appID)
        try container.encode(device.trustRoot, forKey: .trustRoot)
        try container.encode(device.unverifiedReason, forKey: .reason)
        try container.encode(device.hasLidar, forKey: .hasLidar)
        try container.encode(device.registeredAt.rfc3339, forKey: .registeredAt)
        try container.encode(device.revokedAt?.rfc3339, forKey: .revokedAt)
        try container.encode(compromisedSince?.rfc3339, forKey: .compromisedSince)
        try container.encode(device.risk?.metric, forKey: .riskMetric)
        try container.encode(device.risk?.at.rfc3339, forKey: .riskMetricAt)
    }
}
