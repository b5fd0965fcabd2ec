import CaptureModel
import CaptureStore

/// Where a device's receipt stands, as JSON and for people.
struct ReceiptLine: Encodable {
    let standing: ReceiptStanding

    private enum CodingKeys: String, CodingKey {
        case outcome, reason, attempts
        case receivedAt = "received_at"
        case askedAt = "asked_at"
        case nextAt = "next_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(standing.outcome.rawValue, forKey: .outcome)
        try container.encode(standing.reason, forKey: .reason)
        try container.encode(standing.attempts, forKey: .attempts)
        try container.encode(standing.receivedAt.rfc3339, forKey: .receivedAt)
        try container.encode(standing.askedAt?.rfc3339, forKey: .askedAt)
        try container.encode(standing.nextAt?.rfc3339, forKey: .nextAt)
    }

    var text: String {
        let reason = standing.reason.map { " (\($0))" } ?? ""
        let next = standing.nextAt.map { "due \($0.rfc3339)" } ?? "never due by itself"
        return "\(standing.outcome.rawValue)\(reason), received \(standing.receivedAt.rfc3339), \(next)"
    }
}

/// What an attestation said, as JSON and for people.
struct AttestationLine: Encodable {
    let summary: AttestationSummary

    private enum CodingKeys: String, CodingKey {
        case at, model
        case osVersion = "os_version"
        case bundleVersion = "bundle_version"
        case validationCategory = "validation_category"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(summary.at.rfc3339, forKey: .at)
        try container.encode(summary.model, forKey: .model)
        try container.encode(summary.osVersion, forKey: .osVersion)
        try container.encode(summary.bundleVersion, forKey: .bundleVersion)
        try container.encode(summary.validationCategory, forKey: .validationCategory)
    }

    var text: String {
        let facts: [(String, String?)] = [
            ("iOS", summary.osVersion), ("app", summary.bundleVersion),
            ("category", summary.validationCategory.map(String.init)),
        ]
        let known = facts.compactMap { name, value in value.map { "\(name) \($0)" } }
        return (["\(summary.at.rfc3339)  \(summary.model)"] + known).joined(separator: ", ")
    }
}

/// What DeviceCheck said, as JSON and for people.
struct DeviceCheckLine: Encodable {
    let state: DeviceCheckState

    private enum CodingKeys: String, CodingKey {
        case standing = "state"
        case bit0, bit1, reason
        case lastUpdate = "last_update"
        case checkedAt = "checked_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state.standing.rawValue, forKey: .standing)
        try container.encode(state.bit0, forKey: .bit0)
        try container.encode(state.bit1, forKey: .bit1)
        try container.encode(state.lastUpdate, forKey: .lastUpdate)
        try container.encode(state.reason, forKey: .reason)
        try container.encode(state.checkedAt.rfc3339, forKey: .checkedAt)
    }

    var text: String {
        let bits = [state.bit0, state.bit1].compactMap { $0.map { $0 ? "1" : "0" } }.joined(separator: " ")
        let more = [bits.isEmpty ? nil : "bits \(bits)", state.lastUpdate.map { "of \($0)" }, state.reason]
        return ([state.standing.rawValue] + more.compactMap { $0 }).joined(separator: ", ")
    }
}
