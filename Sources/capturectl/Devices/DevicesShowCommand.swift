import ArgumentParser
import CaptureModel
import CaptureStore
import PostgresCaptureStore

/// `capturectl devices show`.
struct DevicesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a device: its key, what is known of it, its counters, its captures, and who did what to it.",
        discussion: """
            Examples:
              capturectl devices show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl devices show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 --json

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: DeviceArgument
    @OptionGroup var options: OperatorOptions

    func run() async throws {
        guard let id = argument.id else { return }
        let json = options.json
        try await OperatorSession.run(options) { session in
            guard let record = try await session.store.record(of: id) else {
                standardError("capturectl: no device \(id)\n")
                return false
            }
            let tally = try await session.store.tally(of: id, from: Timestamp(millisecondsSince1970: 0))
            let trail = try await session.store.auditTrail(of: "\(id)", limit: 20)
            let document = DeviceDocument(record: record, tally: tally, trail: trail)
            print(json ? try JSONText.write(document) : document.text(on: .current))
            return true
        }
    }
}

/// All that is known of one device.
struct DeviceDocument: Encodable {
    let record: DeviceRecord
    let tally: DeviceTally
    let trail: [AuditEntry]

    private enum CodingKeys: String, CodingKey {
        case captureCounter = "capture_counter"
        case requestCounter = "request_counter"
        case lastSeen = "last_seen_at"
        case revokedReason = "revoked_reason"
        case revokedBy = "revoked_by"
        case supersededBy = "superseded_by"
        case osVersion = "os_version"
        case captures
    }

    private struct Captures: Encodable {
        let verified: Int
        let rejected: Int
        let open: Int
        let reasons: [String: Int]
    }

    func encode(to encoder: any Encoder) throws {
        try DeviceLine(record.registration.device).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(record.captureCounter, forKey: .captureCounter)
        try container.encode(record.requestCounter, forKey: .requestCounter)
        try container.encode(record.lastSeen.rfc3339, forKey: .lastSeen)
        try container.encode(record.revokedReason, forKey: .revokedReason)
        try container.encode(record.revokedBy, forKey: .revokedBy)
        try container.encode(record.supersededBy?.description, forKey: .supersededBy)
        try container.encode(record.registration.osVersion, forKey: .osVersion)
        let captures = Captures(
            verified: tally.verified, rejected: tally.rejected, open: tally.open,
            reasons: Dictionary(uniqueKeysWithValues: tally.reasons.map { ($0.key.rawValue, $0.value) }))
        try container.encode(captures, forKey: .captures)
    }

    /// The same for people.
    func text(on terminal: Terminal) -> String {
        let device = record.registration.device
        var facts = FactList()
        facts.add("device", "\(device.id)")
        facts.add(
            "state", device.revokedAt == nil ? terminal.tinted("active", .good) : terminal.tinted("revoked", .bad))
        facts.add("revoked", device.revokedAt?.rfc3339)
        facts.add("by", record.revokedBy)
        facts.add("because", record.revokedReason)
        facts.add("superseded by", record.supersededBy?.description)
        facts.add("attestation", device.level.rawValue)
        facts.add("unverified as", device.unverifiedReason)
        facts.add("environment", device.environment?.rawValue)
        facts.add("app id", device.appID)
        facts.add("trust root", device.trustRoot)
        facts.add("key id", "\(device.keyID)")
        facts.add("model", device.hasLidar ? "\(device.model), LiDAR" : device.model)
        facts.add("iOS", record.registration.osVersion)
        facts.add("counters", "captures \(record.captureCounter), requests \(record.requestCounter)")
        facts.add("registered", device.registeredAt.rfc3339)
        facts.add("last seen", record.lastSeen.rfc3339)
        facts.add(
            "captures",
            "\(count(tally.verified)) verified, \(count(tally.rejected)) rejected, \(count(tally.open)) open")
        facts.add(
            "rejected for",
            tally.reasons.sorted { $0.value > $1.value }.map { "\($0.key.rawValue) \(count($0.value))" })
        facts.add("audit", trail.map { "\($0.at.rfc3339)  \($0.action)  by \($0.actor)" })
        return facts.text
    }

    private func count(_ number: Int) -> String { number >= DeviceTally.countMax ? "\(number) or more" : "\(number)" }
}
