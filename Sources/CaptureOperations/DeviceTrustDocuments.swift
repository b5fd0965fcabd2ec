package import CaptureModel
package import CaptureStore

/// The standing of a device's receipt, as JSON.
package struct ReceiptDocument: Encodable, Sendable {
    private let standing: ReceiptStanding

    /// Takes a standing.
    package init(_ standing: ReceiptStanding) {
        self.standing = standing
    }

    private enum CodingKeys: String, CodingKey {
        case outcome, reason, attempts
        case receivedAt = "received_at"
        case askedAt = "asked_at"
        case nextAt = "next_at"
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(standing.outcome.rawValue, forKey: .outcome)
        try container.encode(standing.reason?.rawValue, forKey: .reason)
        try container.encode(standing.attempts, forKey: .attempts)
        try container.encode(standing.receivedAt, forKey: .receivedAt)
        try container.encode(standing.askedAt, forKey: .askedAt)
        try container.encode(standing.nextAt, forKey: .nextAt)
    }
}

/// What an attestation said, as JSON.
package struct AttestationDocument: Encodable, Sendable {
    private let summary: AttestationSummary

    /// Takes the summary of an attestation.
    package init(_ summary: AttestationSummary) {
        self.summary = summary
    }

    private enum CodingKeys: String, CodingKey {
        case at, model
        case osVersion = "os_version"
        case bundleVersion = "bundle_version"
        case validationCategory = "validation_category"
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(summary.at, forKey: .at)
        try container.encode(summary.model, forKey: .model)
        try container.encode(summary.osVersion, forKey: .osVersion)
        try container.encode(summary.bundleVersion, forKey: .bundleVersion)
        try container.encode(summary.validationCategory, forKey: .validationCategory)
    }
}

/// What DeviceCheck said, as JSON.
package struct DeviceCheckDocument: Encodable, Sendable {
    private let state: DeviceCheckState

    /// Takes DeviceCheck's answer.
    package init(_ state: DeviceCheckState) {
        self.state = state
    }

    private enum CodingKeys: String, CodingKey {
        case standing = "state"
        case bit0, bit1, reason
        case lastUpdate = "last_update"
        case checkedAt = "checked_at"
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state.standing.rawValue, forKey: .standing)
        try container.encode(state.bit0, forKey: .bit0)
        try container.encode(state.bit1, forKey: .bit1)
        try container.encode(state.lastUpdate, forKey: .lastUpdate)
        try container.encode(state.reason, forKey: .reason)
        try container.encode(state.checkedAt, forKey: .checkedAt)
    }
}
