package import CaptureModel
package import CaptureStore

/// The standing of a device's receipt, as JSON.
package struct ReceiptDocument: Encodable, Sendable {
    private let standing: ReceiptStanding

    /// Takes a standing.
    package init(_ standing: ReceiptStanding) {
        self.standing = standing
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(standing.outcome.rawValue, forKey: "outcome")
        try container.encode(standing.reason?.rawValue, forKey: "reason")
        try container.encode(standing.attempts, forKey: "attempts")
        try container.encode(standing.receivedAt, forKey: "received_at")
        try container.encode(standing.askedAt, forKey: "asked_at")
        try container.encode(standing.nextAt, forKey: "next_at")
    }
}

/// What an attestation said, as JSON.
package struct AttestationDocument: Encodable, Sendable {
    private let summary: AttestationSummary

    /// Takes the summary of an attestation.
    package init(_ summary: AttestationSummary) {
        self.summary = summary
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(summary.at, forKey: "at")
        try container.encode(summary.model, forKey: "model")
        try container.encode(summary.osVersion, forKey: "os_version")
        try container.encode(summary.bundleVersion, forKey: "bundle_version")
        try container.encode(summary.validationCategory, forKey: "validation_category")
    }
}

/// What DeviceCheck said, as JSON.
package struct DeviceCheckDocument: Encodable, Sendable {
    private let state: DeviceCheckState

    /// Takes DeviceCheck's answer.
    package init(_ state: DeviceCheckState) {
        self.state = state
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(state.standing.rawValue, forKey: "state")
        try container.encode(state.bit0, forKey: "bit0")
        try container.encode(state.bit1, forKey: "bit1")
        try container.encode(state.lastUpdate, forKey: "last_update")
        try container.encode(state.reason, forKey: "reason")
        try container.encode(state.checkedAt, forKey: "checked_at")
    }
}
