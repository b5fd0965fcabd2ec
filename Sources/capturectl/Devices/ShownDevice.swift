import CaptureModel
import CaptureOperations
import CaptureStore

/// Everything about one device, with the member names of `GET /api/v1/devices/{id}`.
struct ShownDevice: Encodable {
    let record: DeviceRecord
    let receipt: ReceiptStanding?
    let attestations: AttestationHistory
    let tally: DeviceTally
    /// How many of its captures have no result; `nil` if unknown.
    let open: Int?
    let trail: AuditTrail

    private struct Captures: Encodable {
        let verified: Int
        let rejected: Int
        @OrNull var open: Int?
        let reasons: [String: Int]
    }

    func encode(to encoder: any Encoder) throws {
        let device = record.registration.device
        try DeviceDocument(device, compromisedSince: record.compromise?.since).encode(to: encoder)
        try DeviceRecordDocument(record, receipt: receipt, attestations: attestations).encode(to: encoder)
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(record.registration.osVersion, forKey: "os_version")
        let captures = Captures(
            verified: tally.verified, rejected: tally.rejected, open: open,
            reasons: Dictionary(uniqueKeysWithValues: tally.reasons.map { ($0.key.rawValue, $0.value) }))
        try container.encode(captures, forKey: "captures")
        try container.encode(trail.documents, forKey: "audit")
        try container.encode(trail.isCut, forKey: "audit_cut")
    }

    /// The device for people.
    func text(on terminal: Terminal) -> String {
        let device = record.registration.device
        var facts = FactList(on: terminal)
        facts.add("device", "\(device.id)")
        let isActive = device.revokedAt == nil
        facts.add("state", isActive ? "active" : "revoked", isActive ? .good : .bad)
        facts.add(
            "compromised", record.compromise.map { "since \($0.since.rfc3339): \($0.reason), by \($0.actor)" }, .bad)
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
        let waiting = open.map { "\(count($0)) open" } ?? "how many are open is not known without a ledger"
        facts.add("captures", "\(count(tally.verified)) verified, \(count(tally.rejected)) rejected, \(waiting)")
        facts.add(
            "rejected for",
            tally.reasons.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
                .map { "\($0.key.rawValue) \(count($0.value))" })
        facts.add("audit", trail.lines)
        return facts.text
    }

    /// Adds Apple's risk metric and DeviceCheck state, and its attestations.
    private func addTrust(to facts: inout FactList) {
        facts.add("risk metric", record.registration.device.risk.map { "\($0.metric), told \($0.at.rfc3339)" })
        facts.add("receipt", receipt?.text)
        facts.add("DeviceCheck", record.registration.deviceCheck?.text)
        // The first attestation is the registration's, which is already shown.
        if attestations.entries.count > 1 {
            facts.add("attested", attestations.lines)
        }
    }

    private func count(_ number: Int) -> String { number >= DeviceTally.countMax ? "\(number) or more" : "\(number)" }
}
