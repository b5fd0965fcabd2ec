import CaptureModel
import CaptureOperations
import CaptureStore

/// All that is known of one device, by the names that `GET /api/v1/devices/{id}` has for the same.
struct DeviceDocument: Encodable {
    let record: DeviceRecord
    let receipt: ReceiptStanding?
    /// Its attestations, the registration's first.
    let attestations: [AttestationSummary]
    let tally: DeviceTally
    let trail: [AuditEntry]

    private enum CodingKeys: String, CodingKey {
        case captureCounter = "capture_counter"
        case requestCounter = "request_counter"
        case lastSeen = "last_seen"
        case revokedReason = "revoked_reason"
        case revokedBy = "revoked_by"
        case supersededBy = "superseded_by"
        case osVersion = "os_version"
        case compromisedReason = "compromised_reason"
        case compromisedBy = "compromised_by"
        case deviceCheck = "device_check"
        case receipt, attestations, captures, audit
    }

    private struct Captures: Encodable {
        let verified: Int
        let rejected: Int
        let open: Int
        let reasons: [String: Int]
    }

    func encode(to encoder: any Encoder) throws {
        let compromise = record.compromise
        try DeviceLine(record.registration.device, compromisedSince: compromise?.since).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(record.captureCounter, forKey: .captureCounter)
        try container.encode(record.requestCounter, forKey: .requestCounter)
        try container.encode(record.lastSeen.rfc3339, forKey: .lastSeen)
        try container.encode(record.revokedReason, forKey: .revokedReason)
        try container.encode(record.revokedBy, forKey: .revokedBy)
        try container.encode(record.supersededBy?.description, forKey: .supersededBy)
        try container.encode(record.registration.osVersion, forKey: .osVersion)
        try container.encode(compromise?.reason, forKey: .compromisedReason)
        try container.encode(compromise?.actor, forKey: .compromisedBy)
        try container.encode(record.registration.deviceCheck.map { DeviceCheckDocument($0) }, forKey: .deviceCheck)
        try container.encode(receipt.map { ReceiptDocument($0) }, forKey: .receipt)
        try container.encode(attestations.map { AttestationDocument($0) }, forKey: .attestations)
        let captures = Captures(
            verified: tally.verified, rejected: tally.rejected, open: tally.open,
            reasons: Dictionary(uniqueKeysWithValues: tally.reasons.map { ($0.key.rawValue, $0.value) }))
        try container.encode(captures, forKey: .captures)
        try container.encode(trail.map { AuditDocument($0) }, forKey: .audit)
    }

    /// The same for people.
    func text(on terminal: Terminal) -> String {
        let device = record.registration.device
        var facts = FactList()
        facts.add("device", "\(device.id)")
        facts.add(
            "state", device.revokedAt == nil ? terminal.tinted("active", .good) : terminal.tinted("revoked", .bad))
        facts.add(
            "compromised",
            record.compromise.map {
                terminal.tinted("since \($0.since.rfc3339)", .bad) + ": \($0.reason), by \($0.actor)"
            })
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
        addTrust(to: &facts)
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

    /// What Apple says of it, and what its attestations said.
    private func addTrust(to facts: inout FactList) {
        facts.add("risk metric", record.registration.device.risk.map { "\($0.metric), told \($0.at.rfc3339)" })
        facts.add("receipt", receipt?.text)
        facts.add("DeviceCheck", record.registration.deviceCheck?.text)
        // The first one is the registration's, which is shown already.
        if attestations.count > 1 {
            facts.add("attested", attestations.map(\.text))
        }
    }

    private func count(_ number: Int) -> String { number >= DeviceTally.countMax ? "\(number) or more" : "\(number)" }
}
